import { ICON } from '../domain/avatar'
import { type Html, html } from '../domain/html'
import type { Parley } from '../gate/parley'

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self' https: http:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
}

const page = (title: string, body: Html, status = 200) =>
  new Response(
    html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Parley</title>
<link rel="icon" href="${ICON}" type="image/svg+xml">
<link rel="stylesheet" href="/plain.css">
<header><a class="name" href="/">Parley</a><nav><a href="/docs">API reference</a></nav></header>
<main>${body}</main>
</html>`.text,
    { status, headers: HEADERS },
  )

/**
 * Turns off the mails about what is unread, for the member whose mail had this link. Mail programs do it with one request
 * (RFC 8058), people with a button: programs that only look at links must not unsubscribe anyone.
 */
export async function unsubscribe(parley: Parley, request: Request, token: string): Promise<Response> {
  const isConfirmed = request.method === 'POST'
  const member = await parley.accounts.unsubscribe(token, isConfirmed)
  if (!member)
    return page(
      'Unsubscribe',
      html`<h1>This link no longer works</h1>
<p>Sign in to <a href="/settings/notifications">change your notifications</a>.</p>`,
      404,
    )
  if (!isConfirmed)
    return page(
      'Unsubscribe',
      html`<h1>Stop e-mails from ${member.workspace_name}?</h1>
<p>You will no longer get e-mails about what is unread. You can turn them on again in the settings.</p>
<form method="post"><button>Unsubscribe</button></form>`,
    )
  return page(
    'Unsubscribed',
    html`<h1>You are unsubscribed</h1>
<p>You will no longer get e-mails about what is unread in ${member.workspace_name}.
<a href="/settings/notifications">Change your notifications</a></p>`,
  )
}
