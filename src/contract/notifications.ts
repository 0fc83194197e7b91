import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Body, Choice, Nullable, Shape, Timestamp } from './shapes'

const mailFrequencies = ['every_15_minutes', 'hourly', 'daily', 'never'] as const
export type MailFrequency = (typeof mailFrequencies)[number]

const Clock = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'A time of day, as in `22:00`.' })
const QuietHours = Shape('QuietHours', { from: Clock, to: Clock }, 'No pushes and no mails; they may pass midnight.')

const choices = {
  mail: Choice(mailFrequencies, { description: 'How often to mail what is still unread.' }),
  mail_hour: Type.Integer({ minimum: 0, maximum: 23, description: 'The hour of daily mails.' }),
  mentions_and_messages_sooner: Type.Boolean({ description: 'Mail mentions and messages after five minutes.' }),
  paused_until: Nullable(Timestamp, 'No pushes and no mails until then.'),
  quiet_hours: Nullable(QuietHours),
  time_zone: Type.String({ maxLength: 100, description: 'By its IANA name, as in `Europe/Berlin`.' }),
}

export const NotificationSettings = Shape('NotificationSettings', {
  ...choices,
  is_mail_configured: Type.Boolean({ description: 'Whether this server can send mails.' }),
  is_push_available: Type.Boolean({ description: 'Whether this server can send pushes.' }),
  is_push_enabled: Type.Boolean({ description: 'Whether the browser that asks gets pushes.' }),
})
export type NotificationSettings = Static<typeof NotificationSettings>

export const PushKey = Shape('PushKey', {
  public_key: Type.String({ description: 'The VAPID key of this server, base64url: the `applicationServerKey`.' }),
})

/** Operations of `me` about being notified. */
export const notifications = {
  getNotificationSettings: operation({
    method: 'GET',
    path: '/v2/me/notification-settings',
    depends: 'nothing',
    summary: 'Get your notification settings.',
    description: 'They say when you are notified, by e-mail and in the browser.',
    access: 'read',
    output: NotificationSettings,
    errors: ['forbidden'],
  }),
  updateNotificationSettings: operation({
    method: 'PATCH',
    path: '/v2/me/notification-settings',
    summary: 'Change your notification settings.',
    description: 'Fields that are left out stay as they are.',
    access: 'read',
    tokenScope: 'write',
    body: Type.Partial(Body(choices)),
    output: NotificationSettings,
    errors: ['forbidden'],
  }),
  getPushKey: operation({
    method: 'GET',
    path: '/v2/push-key',
    depends: 'nothing',
    summary: 'Get the public key for push notifications.',
    description: 'Browsers need it to subscribe. It is created when first asked for, and stays the same.',
    access: 'read',
    output: PushKey,
    errors: ['secret_key_missing'],
  }),
  setPushSubscription: operation({
    method: 'PUT',
    path: '/v2/me/push-subscription',
    summary: 'Turn on notifications in this browser.',
    description:
      'Only pages of a browser that is signed in can call this; it ends when you sign out. A browser has one subscription: `endpoint` and `keys` are those of its `PushSubscription`.',
    access: 'read',
    tokenScope: 'write',
    body: Body({
      endpoint: Type.String({ minLength: 1, maxLength: 2_000, description: 'Where the push service takes messages.' }),
      keys: Type.Object(
        {
          p256dh: Type.String({ minLength: 1, maxLength: 200, description: 'The public key of the browser.' }),
          auth: Type.String({ minLength: 1, maxLength: 100, description: 'The secret of the browser.' }),
        },
        { additionalProperties: false, description: 'What messages are encrypted with.' },
      ),
    }),
    errors: ['forbidden', 'secret_key_missing'],
  }),
  deletePushSubscription: operation({
    method: 'DELETE',
    path: '/v2/me/push-subscription',
    summary: 'Turn off notifications in this browser.',
    description: 'Only pages of a browser that is signed in can call this. Your other browsers are not affected.',
    access: 'read',
    tokenScope: 'write',
    errors: ['forbidden'],
  }),
}
