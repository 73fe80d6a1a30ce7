// The service, as the page uses it. A reply that is not one of ours counts as no reply.

const BASE = `${location.pathname.split("/studies/")[0]}/api/v1`; // a proxy may show us under a path of its own
const SECRET = secret();
const PATIENCE = 60_000;
const DRAWING = 660_000; // a busy server may need minutes for figures; its own limit is ten

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
  // Nothing was heard, or the server could not: the same request may be sent again.
  get offline() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

export function study(name) {
  const root = `${BASE}/studies/${encodeURIComponent(name)}`;
  return {
    root,
    look: () => call("GET", root),
    question: () => call("GET", `${root}/question`),
    answer: (body) => call("POST", `${root}/answers`, body),
    prepare: (step, side) => call("POST", `${root}/questions/${step}/${side}/prepare`, {}),
    undo: (body) => call("POST", `${root}/undo`, body),
    history: () => call("GET", `${root}/history`),
    amend: (step, what, body = {}) => call("POST", `${root}/answers/${step}/${what}`, body),
    advice: () => call("GET", `${root}/advice`),
    figures: () => call("GET", `${root}/figures`, undefined, DRAWING),
    result: () => call("GET", `${root}/result`),
    file: (digest) => signed(`${root}/files/${digest}`),
    download: (path) => signed(`${root}/${path}`),
  };
}

// In a notebook's frame there is no cookie. The tokens come behind the address's #, which no server is sent: one goes as a header, the
// other, which can only look, with what the browser fetches by itself.
function secret() {
  const given = new URLSearchParams(location.hash.slice(1));
  const found = { token: given.get("token"), pass: given.get("pass") };
  try {
    if (!found.token) return JSON.parse(sessionStorage.getItem("prefero frame")) ?? found;
    sessionStorage.setItem("prefero frame", JSON.stringify(found));
  } catch {
    // a frame may be refused its storage: the tokens last as long as the page
  }
  if (found.token) history.replaceState(null, "", location.pathname);
  return found;
}

const signed = (path) => (SECRET.pass ? `${path}?pass=${SECRET.pass}` : path);

export const me = () => call("GET", `${BASE}/me`);

async function call(method, path, body, patience = PATIENCE) {
  let reply;
  let value;
  try {
    reply = await fetch(path, {
      method,
      headers: { ...(SECRET.token && { "X-Prefero-Token": SECRET.token }), ...(body !== undefined && { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(patience),
    });
    value = await reply.json();
  } catch {
    throw new Refused(0, "the server does not answer");
  }
  if (!reply.ok) throw new Refused(reply.status, value.error ?? `status ${reply.status}`);
  return value;
}

// Made anew for each pair that is shown: sent again, it is the same answer and not a second one.
export function answerId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
