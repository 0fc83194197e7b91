import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Vault } from '../domain/vault'
import { openVault } from './vault'

/**
 * Where secrets are kept: with the operator's key; on SQLite else with one in a file of its own beside the database,
 * made when it is first needed. Several nodes must share a key, so on PostgreSQL the operator gives it.
 */
export function vaultFor({
  secretKey,
  databaseUrl,
}: {
  secretKey: string | undefined
  databaseUrl: string
}): Vault | undefined {
  if (secretKey) return openVault(secretKey)
  if (!databaseUrl.startsWith('sqlite:')) return undefined
  return openVault(keyBeside(resolve(databaseUrl.slice('sqlite:'.length))))
}

function keyBeside(database: string): string {
  const file = join(dirname(database), 'secret.key')
  if (!existsSync(file)) {
    const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')
    try {
      writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      // Another process made it first; anything else is told when it is read.
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    }
  }
  return readFileSync(file, 'utf8').trim()
}
