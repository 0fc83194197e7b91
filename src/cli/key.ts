import { readConfig } from '../config'
import { StartError } from '../domain/start-error'
import { checkKey, KEY_NEEDED, keyFileOf, vaultFor } from '../operations/secret-key'
import { setFingerprint } from '../store/people/workspaces'
import { toMaskedWebhook } from '../store/webhooks/deliveries'
import { findWebhookByKey, setWebhook } from '../store/webhooks/webhooks'
import type { Command } from './command'
import { changeAsOperator, withMigratedParley } from './database'

const WITHOUT_SECRET = {
  secret: '',
  old_secret: null,
  is_enabled: false,
  disabled_reason: 'Its secret was lost with the secret key of the server. Give it a new secret, then enable it.',
} as const

export const keyReset: Command = {
  name: 'key reset',
  summary: 'Use a new secret key after the old one was lost.',
  details: `Webhooks whose secrets cannot be decrypted with the new key are disabled until they get new secrets. On PostgreSQL,
or if you use SECRET_KEY, set it to the new key first. Otherwise the key is read from the file secret.key next to the
database, which is created if it is missing. Restart the server afterwards.`,
  options: {},
  async run() {
    const config = readConfig(process.env)
    if (!config.secretKey && !keyFileOf(config)) throw new StartError(`${KEY_NEEDED} Set it, then run this again.`)
    const { fingerprint } = vaultFor(config)!
    const disabled = await withMigratedParley(async (parley) => {
      const { unreadable } = await parley.engine.read((db) => checkKey(db, config))
      for (const slug of new Set(unreadable.map(({ workspace_slug }) => workspace_slug)))
        await changeAsOperator(parley, slug, async ({ db, links, announce }) => {
          for (const { key } of unreadable.filter(({ workspace_slug }) => workspace_slug === slug)) {
            await setWebhook(db, key, WITHOUT_SECRET)
            announce('webhook.updated', toMaskedWebhook(links, (await findWebhookByKey(db, key))!))
          }
        })
      await parley.engine.write((db) => setFingerprint(db, fingerprint))
      return unreadable.length
    })
    console.log(
      disabled === 0
        ? 'The secret key decrypts every secret. No webhook was disabled.'
        : `Disabled ${disabled} ${disabled === 1 ? 'webhook' : 'webhooks'} until they get new secrets.`,
    )
  },
}
