"""The service: studies over HTTP, for programs (a bearer token) and for browsers (a cookie). It needs the extra `ui`.

server          from a storage and an address to a running server
app             the routes, and the order in which a request is checked
settings        the limits and names of a service
sign_in         the pages that sign a browser in: the printed link, an invitation
static          the compare page's files, which are in page/
markdown        Markdown as a page for a sandboxed frame
operation       one route as data
routes          the handlers: plain functions from an admitted request to a reply
schema          request checks
payloads        replies as plain data, with their schemas
document        the OpenAPI document, made from the routes
studies         the studies that are open
lookahead       the next question for each possible answer, computed while the person looks
proposals       the next questions of all studies, computed by helper processes with a time limit
proposing       the helper process that computes them
helper_pool     a few helpers for many studies, each in its turn
results         results as plain data, computed in a helper process
result_worker   the results that were computed, and the helper process
render_queue    candidates rendered before they are shown
rendering       from a user's `render` function to files that a browser shows
worker_process  helper processes: one protocol, with time limits
served_file     from a file with `render` to a study that is served
frame           the page in a notebook's frame
agents          studies for programs that speak the Model Context Protocol
notebook        the widget that asks inside a notebook's cell
access          tokens and invitations
guard           host and origin checks, security headers, bodies that nobody reads
limits          rate limits, bytes in flight, and the limits of a request's body
protocol        limits of a connection: heads, unread replies, connections of one address
proxies         for which address a trusted proxy makes a request
logs            the access log
monitor         /healthz and /metrics
files           which files may be uploaded, and how they are served
refusals        errors as HTTP replies
"""
