import type { OperationName } from '../../src/contract'
import type { SearchType } from '../../src/contract/search'
import { createClient } from '../client'
import { callOperation, type Prepared } from '../operations'
import type { Caller, WorldWithCallers } from './matrix-callers'

/** Returns `ok`, `hidden` if a list does not contain the record, or the error code. */
export async function callAs(
  { baseUrl }: WorldWithCallers,
  name: OperationName,
  caller: Caller,
  { shows, last: _, ...input }: Prepared,
) {
  const client = createClient({ baseUrl, token: caller.token ?? '' })
  try {
    const answer = (await callOperation(client, name, input)) as { data?: Listed[] } | undefined
    const isShown = shows === undefined || answer?.data?.some((each) => isAbout(each, shows))
    return isShown ? 'ok' : 'hidden'
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

/** What lists contain: records, what is known about one, or where one was found. */
type Listed = { [name in 'id' | 'post_id' | 'thread_id' | 'subject_id']?: string } & {
  [type in SearchType]?: { id: string }
} & { type?: SearchType }

const isAbout = ({ id, post_id, thread_id, subject_id, ...listed }: Listed, wanted: string) =>
  [id, post_id, thread_id, subject_id, listed[listed.type ?? 'post']?.id].some((each) => each?.startsWith(wanted))
