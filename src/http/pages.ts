import { ICON } from '../domain/avatar'
import { type Html, html } from '../domain/html'
import { isSecret } from '../domain/secrets'
import type { Parley } from '../gate/parley'
import { findTimes, findUnsubscriber, setTimes, skipMailsBefore } from '../store/attention/notification-settings'
import { findPosition } from '../store/people/workspaces'

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
  const member = isSecret(token) ? await parley.engine.read((db) => findUnsubscriber(db, token)) : undefined
  if (!member)
    return page(
      'Unsubscribe',
      html`<h1>This link no longer works</h1>
<p>Sign in to <a href="/settings/notifications">change your notifications</a>.</p>`,
      404,
    )
  if (request.method !== 'POST')
    return page(
      'Unsubscribe',
      html`<h1>Stop e-mails from ${member.workspace_name}?</h1>
<p>You will no longer get e-mails about what is unread. You can turn them on again in the settings.</p>
<form method="post"><button>Unsubscribe</button></form>`,
    )

  await parley.engine.write(async (db) => {
    const times = await findTimes(db, member.author_key)
    await setTimes(db, member, { ...times, mail: 'never' })
    await skipMailsBefore(db, member, (await findPosition(db, member.workspace_key)).revision)
  })
  return page(
    'Unsubscribed',
    html`<h1>You are unsubscribed</h1>
<p>You will no longer get e-mails about what is unread in ${member.workspace_name}.
<a href="/settings/notifications">Change your notifications</a></p>`,
  )
}
