"""The service: studies over HTTP, for programs (a bearer token) and for browsers (a cookie). It needs the extra `ui`.

server      from a storage and an address to a running server
app         which route does what, in which order a request is looked at
doors       how a browser comes in: the printed link, an invitation
pages       the compare page's files, which are in page/
routes      what the routes do: plain functions of the desk, the caller and what was given
document    the OpenAPI document, made of the routes
live        the studies that are in use, each in two copies: one that saves, one that thinks
ahead       the next question for each possible answer, computed while the person looks
results     what is computed and drawn of a result, in a process of its own
drawing     that process
preparing   what is rendered of candidates, before they are shown
tunings     from a file with `render` to a study that is served
widget      the page in a notebook's frame
access      tokens and invitations
guard       which hosts and sites may speak to us, and what every reply carries
limits      how much, how often, how slowly
schema      what a body may look like
"""
