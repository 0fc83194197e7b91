import { html } from '../domain/html'
import { isSecret } from '../domain/secrets'
import type { Parley } from '../gate/parley'
import { findTimes, findUnsubscriber, setTimes, skipMailsBefore } from '../store/notification-settings'
import { findPosition } from '../store/workspaces'
import { page } from './pages'

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
