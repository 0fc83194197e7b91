import type { Hook } from '../contract/hooks'
import { findHookProblem } from '../domain/hooks'
import { type Links, toAuthor } from '../domain/links'
import { timestamp, timestampOrNull } from '../domain/timestamps'
import type { HookRow } from '../store/hooks'

/** A hook as this viewer may see it: the name of a private place is for those who are in it. */
export const toHook = (links: Links, row: HookRow): Hook => toRecord(links, row, row.is_viewer_in || isPublic(row))

/** A hook as events show it: they are read by whoever is an admin then. */
export const toMaskedHook = (links: Links, row: HookRow): Hook => toRecord(links, row, false)

const isPublic = ({ channel_key, is_private, archived_at }: HookRow) =>
  channel_key !== 0 && is_private === false && archived_at === null

function toRecord(links: Links, row: HookRow, showsTitle: boolean): Hook {
  const { type, title } = targetOf(row)
  return {
    id: row.id,
    name: row.name,
    target: { type, id: row.target_id, title: showsTitle ? title : null, url: links[type](row.target_id) },
    author: toAuthor(links, row.author),
    owner: toAuthor(links, row.owner),
    problem: findHookProblem(row) ?? null,
    last_used_at: timestampOrNull(row.last_used_at),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}

function targetOf(row: HookRow): { type: Hook['target']['type']; title: string | null } {
  if (row.thread_key !== 0) return { type: 'thread', title: row.thread_title }
  if (row.post_key === 0) return { type: 'channel', title: row.channel_name }
  return { type: 'post', title: row.post_fields && (JSON.parse(`{${row.post_fields}}`) as { title: string }).title }
}
