import { hashSecret, newSecret } from '../../src/domain/secrets'
import { openEngine } from '../../src/store/open'
import { insertToken } from '../../src/store/people/tokens'
import type { Dataset } from './dataset'

/** Tokens of so many members, or as many as there are, who all see the same: they are in no private channel. */
export function issueTokens({ url }: Pick<Dataset, 'url'>, count: number): Promise<string[]> {
  const engine = openEngine(url)
  const issued = engine.write(async (db) => {
    const members = await db
      .selectFrom('members as m')
      .where('m.role', '=', 'member')
      .where('m.is_deactivated', '=', false)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('channel_members as own')
              .innerJoin('channels as c', 'c.key', 'own.channel_key')
              .whereRef('own.author_key', '=', 'm.author_key')
              .where('c.is_private', '=', true)
              .select('c.key'),
          ),
        ),
      )
      .orderBy('m.author_key')
      .limit(count)
      .select(['m.author_key', 'm.workspace_key', 'm.created_at'])
      .execute()
    const tokens: string[] = []
    for (const member of members) {
      const secret = newSecret()
      const id = `tok_${tokens.length}`
      await insertToken(db, {
        ...member,
        id,
        hash: hashSecret(secret),
        name: '',
        scopes: 'read,write',
        expires_at: null,
      })
      tokens.push(secret)
    }
    return tokens
  })
  return issued.finally(() => engine.close())
}
