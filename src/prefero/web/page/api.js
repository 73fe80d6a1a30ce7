// The API client. A reply that is not JSON counts as no reply.

import { t } from "./words.js";

const BASE = `${location.pathname.split("/studies/")[0].replace(/\/(new)?$/, "")}/api/v1`; // a proxy may add a path before it
const SECRET = secret();
const PATIENCE = 60_000; // ms until a request counts as lost
const DRAWING = 660_000; // a busy server may need minutes for figures; its own limit is ten

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
  // No reply, or a temporary refusal: the same request may be sent again.
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
    ahead: () => call("GET", `${root}/ahead`),
    suggest: (step) => call("POST", `${root}/answers/${step}/suggest`, {}),
    hint: (body) => call("POST", `${root}/hints`, body),
    rate: (body) => call("POST", `${root}/ratings`, body),
    enqueue: (candidate, against) => call("POST", `${root}/enqueue`, { candidate, against }),
    undo: (body) => call("POST", `${root}/undo`, body),
    history: () => call("GET", `${root}/history`),
    amend: (step, what, body = {}) => call("POST", `${root}/answers/${step}/${what}`, body),
    advice: () => call("GET", `${root}/advice`),
    insight: () => call("GET", `${root}/insight`, undefined, DRAWING),
    figures: () => call("GET", `${root}/figures`, undefined, DRAWING),
    result: () => call("GET", `${root}/result`),
    upload: (row, name, file) => call("PUT", `${root}/rows/${row}/files/${encodeURIComponent(name)}`, file),
    invite: (body) => call("POST", `${root}/invitations`, body),
    invitations: () => call("GET", `${root}/invitations`),
    uninvite: (id) => call("DELETE", `${root}/invitations/${id}`),
    change: (body) => call("PATCH", root, body),
    file: (digest) => signed(`${root}/files/${digest}`),
    download: (path) => signed(`${root}/${path}`),
  };
}

// A notebook's frame has no cookie. Its tokens come after the # of the address, which no request contains. One is sent as a header;
// the other is read-only, and goes into the addresses that the browser fetches by itself.
function secret() {
  const given = new URLSearchParams(location.hash.slice(1));
  const found = { token: given.get("token"), pass: given.get("pass") };
  try {
    if (!found.token) return JSON.parse(sessionStorage.getItem("prefero frame")) ?? found;
    sessionStorage.setItem("prefero frame", JSON.stringify(found));
  } catch {
    // a browser may deny a frame its storage: the tokens then last as long as the page
  }
  if (found.token) history.replaceState(null, "", location.pathname);
  return found;
}

export const embedded = () => Boolean(SECRET.token);

const signed = (path) => (SECRET.pass ? `${path}?pass=${SECRET.pass}` : path);

export const create = (body) => call("POST", `${BASE}/studies`, body);
export const tokens = () => call("GET", `${BASE}/tokens`);
export const revoke = (id) => call("DELETE", `${BASE}/tokens/${id}`);
export const token = (body) => call("POST", `${BASE}/tokens`, body);
export const code = (text) => call("POST", `${BASE}/qr`, { text });
export const me = () => call("GET", `${BASE}/me`);

async function call(method, path, body, patience = PATIENCE) {
  let reply;
  let value;
  try {
    reply = await fetch(path, {
      method,
      headers: { ...(SECRET.token && { "X-Prefero-Token": SECRET.token }), ...(body !== undefined && { "Content-Type": body instanceof Blob ? body.type : "application/json" }) },
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(patience),
    });
    value = await reply.json();
  } catch {
    throw new Refused(0, t("the server does not answer"));
  }
  if (!reply.ok) throw new Refused(reply.status, value.error ?? t("status {status}", { status: reply.status }));
  return value;
}

// A new id for each pair shown. An answer that is sent twice has the same id, so the server saves it once.
export function answerId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// What an undo takes back: it names its question, so that one that is sent twice does not take back two answers. A judge's history
// holds their own answers alone; the owner's own are those of nobody by name.
export async function lastAnswered(api, me) {
  const { history: entries } = await api.history();
  return entries.findLast(({ status, who }) => status === "effective" && (me.role === "judge" || !who))?.step ?? 0;
}

// Tells at once when anything happened in a study, as long as somebody can see the page.
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
