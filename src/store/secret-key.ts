import type { Reader, Writer } from './engines/db'

const ONLY_ROW = 1
const MAX_CHECKED = 10_000

/** Of the key that the secrets of this database are encrypted with; undefined where no server has noted it yet. */
export const findFingerprint = async (db: Reader): Promise<string | undefined> =>
  (await db.selectFrom('secret_key').where('id', '=', ONLY_ROW).select('fingerprint').executeTakeFirst())?.fingerprint

export const setFingerprint = (db: Writer, fingerprint: string) =>
  db
    .insertInto('secret_key')
    .values({ id: ONLY_ROW, fingerprint })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ fingerprint }))
    .execute()

/** What is encrypted: the secrets of webhooks, the newest first. One that was forgotten is empty. */
export const listEncryptedSecrets = (db: Reader) =>
  db
    .selectFrom('webhooks as h')
    .innerJoin('workspaces as w', 'w.key', 'h.workspace_key')
    .where('h.secret', '<>', '')
    .orderBy('h.key', 'desc')
    .limit(MAX_CHECKED)
    .select(['h.key', 'h.secret', 'w.slug as workspace_slug'])
    .execute()
