import type { RecordReactions } from '../../src/contract/reactions'
import type { SearchResult } from '../../src/contract/search'
import type { PostState, ThreadState } from '../../src/contract/unread'
import { createClient } from '../client'
import { recordOf } from '../search/found'
import { time } from '../server'
import { type Caller, LIFE_MS, type WorldWithCallers } from './matrix-callers'

/** Returns `ok`, `hidden` if a list does not contain the record, or the error code. */
export async function callAs(
  { baseUrl }: WorldWithCallers,
  name: string,
  caller: Caller,
  { shows, ...input }: Record<string, unknown>,
) {
  if (caller.kind === 'expired') time.advance(2 * LIFE_MS)
  const [noun, verb] = name.split('.') as [string, string]
  const client = createClient({ baseUrl, token: caller.token ?? '' }) as unknown as Record<string, Record<string, Call>>
  try {
    const answer = (await client[noun]![verb]!(input)) as { data?: Listed[] } | undefined
    const isShown = shows === undefined || answer?.data?.some((each) => idOf(each).startsWith(String(shows)))
    return isShown ? 'ok' : 'hidden'
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}
type Call = (input: unknown) => Promise<unknown>
type Listed = { id: string } | RecordReactions | SearchResult | PostState | ThreadState

function idOf(listed: Listed): string {
  if ('post_id' in listed) return listed.post_id
  if ('thread_id' in listed) return listed.thread_id
  if ('subject_id' in listed) return listed.subject_id
  return ('id' in listed ? listed : recordOf(listed)).id
}
