import { sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import type { BuildCondition, MatchCondition } from '../engines/search/search-index'
import { channelIsOpen, viewerKeysOf, viewerParams } from '../visibility'
import { typeNumbers } from './types'

export interface ConditionFilter {
  resolved?: boolean
  /** Milliseconds; the first is included, the other is not. */
  createdAfter?: number
  createdBefore?: number
}

/** Up to so many channels, those that the viewer may see are found once, which is faster than for each match. */
const MAX_CHANNELS = 500

/** Who may see a match is decided by the rules that decide it everywhere, as they are at this moment. */
const build: BuildCondition = (param, [sees, state, time]) => {
  const viewer = viewerParams(param, sees === 'public')
  const isOpen = channelIsOpen('c', viewer)
  const channels = sql`channels AS c WHERE c.workspace_key = ${viewer.workspace}`
  const areFew = sql`(SELECT count(*) FROM (SELECT 1 FROM ${channels} LIMIT ${sql.lit(MAX_CHANNELS + 1)}) AS counted) <= ${sql.lit(MAX_CHANNELS)}`
  const place = sql`CASE WHEN d.type = ${sql.lit(typeNumbers.message)}
    THEN EXISTS (SELECT 1 FROM thread_members AS mine
      WHERE mine.thread_key = d.place_key AND mine.author_key = ${viewer.me})
    WHEN ${areFew} THEN d.place_key IN (SELECT c.key FROM ${channels} AND ${isOpen})
    ELSE EXISTS (SELECT 1 FROM channels AS c WHERE c.key = d.place_key AND ${isOpen}) END`
  const conditions = [sql`d.workspace_key = ${viewer.workspace}`, place]
  if (time === 'limited')
    conditions.push(
      sql`d.created_at >= ${param<number>('createdAfter')} AND d.created_at < ${param<number>('createdBefore')}`,
    )
  if (state !== 'any')
    conditions.push(sql`EXISTS (SELECT 1 FROM posts AS p
      WHERE p.key = d.post_key AND p.is_resolved = ${sql.lit(state === 'resolved' ? 1 : 0)})`)
  return sql`${sql.join(conditions, sql` AND `)}`
}

export function matchCondition(viewer: Viewer, filter: ConditionFilter): MatchCondition {
  const { workspace, me, seesPublic } = viewerKeysOf(viewer)
  const { resolved, createdAfter = Number.MIN_SAFE_INTEGER, createdBefore = Number.MAX_SAFE_INTEGER } = filter
  const isLimited = filter.createdAfter !== undefined || filter.createdBefore !== undefined
  const state = resolved === undefined ? 'any' : resolved ? 'resolved' : 'open'
  return {
    build,
    shape: [seesPublic ? 'public' : 'own', state, isLimited ? 'limited' : 'unlimited'],
    values: { workspace, me, createdAfter, createdBefore },
  }
}
