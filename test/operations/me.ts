import { expect } from 'bun:test'
import { createECDH } from 'node:crypto'
import { choosePassword, signedIn } from '../session/browser'
import type { World } from '../world'
import { type Cast, memberAuthor, newEmail, nothing, picture } from './cast'
import { type Entries, returned } from './entry'
import { anyRole, read, readAccount, secureAccount, writeAccount } from './rules'

/** Nothing listens on this port. */
const pushSubscription = {
  endpoint: 'https://127.0.0.1:9/push',
  keys: { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: 'AAECAwQFBgcICQoLDA0ODw' },
}

const browserTokens = new WeakMap<World, Promise<string>>()

/** The token of a page, in a browser that the author is signed in with. */
const browserToken = ({ world, author }: Cast): Promise<string> =>
  browserTokens.getOrInsertComputed(world, async () => (await signedIn(world, author)).token())

/** For browsers that are signed in; all callers of the matrix have tokens of the API. */
const browsersOnly = anyRole('self', { except: () => 'forbidden' })

const self = async ({ cast }: { cast: Cast }) => cast.author.members.get({ id: cast.author.id })
const note = async ({ cast }: { cast: Cast }) => ({ member: await memberAuthor(cast, cast.author.id) })
const notCounted = 'none: nothing else depends on it'

export const me: Entries<'me'> = {
  'me.get': { input: nothing, rule: read('self'), check: ({ role }) => expect(role).toBe('admin') },
  'me.update': {
    input: async () => ({ display_name: crypto.randomUUID() }),
    rule: writeAccount,
    check: ({ author }, { display_name }) => expect(author.name).toBe(display_name!),
    events: { 'member.updated': self },
    again: 'no event',
    random: notCounted,
  },
  'me.updateProfile': {
    input: async () => ({ job_title: crypto.randomUUID(), time_zone: 'Europe/Berlin' }),
    rule: writeAccount,
    check: ({ time_zone }) => expect(time_zone).toBe('Europe/Berlin'),
    events: { 'profile.updated': returned },
    again: 'no event',
    random: notCounted,
  },
  'me.setAvatar': {
    input: async () => ({ file: picture }),
    rule: writeAccount,
    events: { 'member.updated': self },
    again: 'same events',
    random: notCounted,
    isSlow: true,
  },
  'me.deleteAvatar': {
    input: async ({ author }) => author.me.setAvatar({ file: picture }).then(nothing),
    rule: writeAccount,
    events: { 'member.updated': self },
    again: 'no event',
    random: notCounted,
  },
  'me.getPreferences': {
    input: nothing,
    rule: readAccount,
    check: ({ enter_sends }) => expect(enter_sends).toBe(true),
  },
  'me.updatePreferences': {
    input: async () => ({ enter_sends: false }),
    rule: writeAccount,
    check: ({ enter_sends }) => expect(enter_sends).toBe(false),
    events: {},
    again: 'same events',
    random: notCounted,
  },
  'me.getSetup': {
    input: nothing,
    rule: readAccount,
    check: ({ done }) => expect(done).toContain('profile'),
  },
  'me.updateSetup': {
    input: async () => ({ done: ['profile'] }),
    rule: writeAccount,
    check: ({ done }) => expect(done).toContain('profile'),
    events: {},
    again: 'no event',
    random: notCounted,
  },
  'me.setPassword': {
    input: async () => ({ password: 'correct horse' }),
    rule: secureAccount,
    events: { 'password.changed': note },
    again: 'invalid_input',
    random: notCounted,
    isSlow: true,
  },
  'me.deletePassword': {
    async input({ world, author }) {
      await choosePassword(world, author, 'correct horse')
      return { current_password: 'correct horse' }
    },
    rule: secureAccount,
    events: { 'password.removed': note },
    again: 'no event',
    random: notCounted,
    isSlow: true,
    unreachable: 'a random password is not known later',
  },
  'me.getEmail': {
    input: nothing,
    rule: readAccount,
    check: ({ email, pending_email }) => expect([email, pending_email]).toEqual([expect.stringMatching('root@'), null]),
  },
  'me.changeEmail': {
    input: async () => ({ email: newEmail() }),
    rule: secureAccount,
    check: ({ pending_email }, { email }) => expect(pending_email).toBe(email),
    events: {},
    again: 'same events',
    random: notCounted,
    isSlow: true,
    unreachable: 'there is no mail server',
  },
  'me.cancelEmailChange': {
    input: async ({ author }) => author.me.changeEmail({ email: newEmail() }).then(nothing),
    rule: secureAccount,
    events: {},
    again: 'same events',
    random: notCounted,
  },
  'me.getNotificationSettings': {
    input: nothing,
    rule: readAccount,
    check: ({ mail, is_push_enabled }) => expect([mail, is_push_enabled]).toEqual(['hourly', false]),
  },
  'me.updateNotificationSettings': {
    input: async () => ({ mail: 'daily', quiet_hours: { from: '22:00', to: '07:30' }, time_zone: 'Europe/Berlin' }),
    rule: writeAccount,
    check: ({ mail, quiet_hours }) => expect([mail, quiet_hours?.to]).toEqual(['daily', '07:30']),
    events: {},
    again: 'same events',
    random: notCounted,
  },
  'me.getPushKey': {
    input: nothing,
    rule: read('self'),
    check: ({ public_key }) => expect(public_key).toMatch(/^[\w-]{87}$/),
  },
  'me.setPushSubscription': {
    token: browserToken,
    input: async () => pushSubscription,
    rule: browsersOnly,
    events: {},
    again: 'same events',
    random: notCounted,
    unreachable: 'only browsers have pushes',
  },
  'me.deletePushSubscription': {
    token: browserToken,
    async input(cast) {
      await cast.world.as(await browserToken(cast)).me.setPushSubscription(pushSubscription)
      return {}
    },
    rule: browsersOnly,
    events: {},
    again: 'same events',
    random: notCounted,
    unreachable: 'only browsers have pushes',
  },
}
