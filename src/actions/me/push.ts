import { createECDH } from 'node:crypto'
import type { Input } from '../../contract'
import { invalidField, Problem } from '../../contract/errors'
import type { Viewer } from '../../domain/permissions'
import * as store from '../../store/push-subscriptions'
import type { ReadContext, WriteContext } from '../context'
import { getSelf } from './self'

export async function getPushKey({ db }: ReadContext, _: Input<'me.getPushKey'>) {
  const keys = await store.findPushKeys(db)
  if (!keys) throw noKey()
  return { public_key: keys.public_key }
}

export async function setPushSubscription(
  context: WriteContext,
  { endpoint, keys: { p256dh, auth } }: Input<'me.setPushSubscription'>,
) {
  const { db, viewer, now } = context
  const { author_key } = await getSelf(context)
  const session_key = sessionOf(viewer)
  if (!(await store.findPushKeys(db))) throw noKey()
  const address = URL.parse(endpoint)
  if (!address || !['https:', 'http:'].includes(address.protocol))
    throw invalidField('endpoint', 'Must be an https URL.')
  if (!isPublicKey(p256dh)) throw invalidField('keys.p256dh', 'Must be a P-256 public key.')
  if (Buffer.from(auth, 'base64url').length !== 16) throw invalidField('keys.auth', 'Must have 16 bytes.')

  const pushed_revision = (await context.firstRevision()) - 1
  const owner = { session_key, workspace_key: viewer.workspace.key, author_key }
  await store.setPushSubscription(db, { ...owner, endpoint, p256dh, auth, created_at: now, pushed_revision })
  context.commitWithoutEvents()
  return undefined
}

export async function deletePushSubscription(context: WriteContext, _: Input<'me.deletePushSubscription'>) {
  await getSelf(context)
  await store.deletePushSubscription(context.db, sessionOf(context.viewer))
  context.commitWithoutEvents()
  return undefined
}

function sessionOf({ sessionKey }: Viewer): number {
  if (!sessionKey) throw new Problem('forbidden', 'Only browsers that are signed in get pushes.')
  return sessionKey
}

const noKey = () =>
  new Problem('secret_key_missing', 'The keys of pushes are kept encrypted. Set SECRET_KEY on the server first.')

/** Whether this is a point of the curve P-256, so that messages can be encrypted for it. */
function isPublicKey(text: string): boolean {
  const point = Buffer.from(text, 'base64url')
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  try {
    pair.computeSecret(point)
    return point.length === 65
  } catch {
    return false
  }
}
