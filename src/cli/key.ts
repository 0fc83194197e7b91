import { readConfig } from '../config'
import { toMaskedWebhook } from '../records/webhooks'
import { checkKey, KEY_NEEDED } from '../setup/key-check'
import { keyFileOf, vaultFor } from '../setup/secret-key'
import { StartError } from '../store/engines/start-error'
import { setFingerprint } from '../store/secret-key'
import { findWebhookByKey, setWebhook } from '../store/webhooks'
import type { Command } from './command'
import { changeAsOperator, withCurrentParley } from './workshop'

const FORGOTTEN = {
  secret: '',
  old_secret: null,
  is_enabled: 0,
  disabled_reason: 'Its secret was lost with the secret key of the server. Give it a new secret, then enable it.',
} as const

export const keyReset: Command = {
  name: 'key reset',
  summary: 'Go on with another secret key after the old one was lost.',
  details: `Webhooks whose secrets the new key does not open are disabled until they get new secrets. On PostgreSQL, and
wherever SECRET_KEY is set, set it to the new key first. Otherwise the file secret.key beside the database is used, and
made if it is missing. Start the server again afterwards.`,
  options: {},
  async run() {
    const config = readConfig(process.env)
    if (!config.secretKey && !keyFileOf(config)) throw new StartError(`${KEY_NEEDED} Set it, then run this again.`)
    const { fingerprint } = vaultFor(config)!
    const disabled = await withCurrentParley(async (parley) => {
      const { unreadable } = await parley.engine.read((db) => checkKey(db, config))
      for (const slug of new Set(unreadable.map(({ workspace_slug }) => workspace_slug)))
        await changeAsOperator(parley, slug, async ({ db, links, announce }) => {
          for (const { key } of unreadable.filter(({ workspace_slug }) => workspace_slug === slug)) {
            await setWebhook(db, key, FORGOTTEN)
            announce('webhook.updated', toMaskedWebhook(links, (await findWebhookByKey(db, key))!))
          }
        })
      await parley.engine.write((db) => setFingerprint(db, fingerprint))
      return unreadable.length
    })
    console.log(
      disabled === 0
        ? 'The secret key opens every secret. Nothing was disabled.'
        : `Disabled ${disabled} ${disabled === 1 ? 'webhook' : 'webhooks'}, until their owners give them new secrets.`,
    )
  },
}
