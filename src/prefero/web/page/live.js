// Tells at once when anything happened in a study, as long as somebody can see the page; and shows a new result in place.

export function live(url, told) {
  let source = null;
  const turn = () => {
    source?.close();
    source = document.hidden ? null : new EventSource(url); // a browser opens six connections at most: a hidden page needs none
    if (source) source.onmessage = ({ data }) => told(JSON.parse(data));
  };
  document.addEventListener("visibilitychange", turn);
  turn();
  return () => {
    document.removeEventListener("visibilitychange", turn);
    source?.close();
  };
}

// Puts what is new on Result where the old stands: the winner at once, the rest when it is computed. What somebody uses stays.
export async function renewed(old, fresh) {
  const [hero, now] = [old.querySelector(".hero"), fresh.node.querySelector(".hero")];
  if (!hero || !now || hero.matches(":focus-within, :has([open])")) return;
  now.querySelector(".sure").replaceChildren(...hero.querySelector(".sure").childNodes);
  const [was, won] = [hero, now].map((each) => each.querySelector("figure"));
  if (was && was.innerHTML === won?.innerHTML) won.replaceWith(was); // a sound may be playing
  hero.replaceWith(now);
  await fresh.filled;
  const parts = old.querySelector(".parts");
  if (!parts.matches(":focus-within, :has([open])")) parts.replaceWith(fresh.node.querySelector(".parts"));
}
