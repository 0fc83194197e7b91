import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { type Everyone, everyone } from '../../contract/browser/constants'
import { kindOf } from '../../contract/browser/kinds'
import type { Member } from '../../contract/members'
import type { Author } from '../../contract/shapes'
import { keys } from './cache/keys'
import { parley } from './cache/parley'
import { readStored, store } from './cache/storage'
import { mapOutsideCode } from './code-ranges'
import { canMentionChannels, findGroups } from './groups'
import { useMe } from './me'

/**
 * A mention is `<@id>` in Markdown and `@Name` in the editor. The names are stored in this browser, so that drafts keep
 * their mentions after a reload.
 */
let names = readStored<Record<string, string>>('mentions', {})
const MAX_NAMES = 300
const listeners = new Set<() => void>()

function setNames(entries: [id: string, name: string][]) {
  names = Object.fromEntries(entries)
  store('mentions', names)
  for (const listener of listeners) listener()
}

/** Changes whenever a name in a text may mean somebody else, or somebody at last. */
export const useKnownNames = () => useSyncExternalStore(subscribe, () => names)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Remembers how someone is mentioned in the editor: by name, with a suffix if another person has the same name. Only one group can
 * have a name, so another one that is known by it has been renamed or deleted since.
 */
export function rememberName(id: string, name: string): string {
  if (isGroup(id)) forgetNames((other, taken) => isGroup(other) && other !== id && taken === name)
  const known = names[id]
  if (known === name || known?.startsWith(`${name} #`)) return known
  const isTaken = Object.entries(names).some(([other, taken]) => other !== id && taken === name)
  const text = isTaken ? `${name} #${id.slice(-4)}` : name
  const { [id]: _, ...others } = names
  setNames([...Object.entries(others).slice(-(MAX_NAMES - 1)), [id, text]])
  return text
}

const isGroup = (id: string) => kindOf(id) === 'group'

function forgetNames(isOutdated: (id: string, name: string) => boolean) {
  const current = Object.entries(names)
  const kept = current.filter(([id, name]) => !isOutdated(id, name))
  if (kept.length < current.length) setNames(kept)
}

/** Forgets groups whose name a text starts with, unless they are among these: they were renamed or deleted. */
export const forgetGroups = (text: string, groups: readonly { id: string }[]) =>
  forgetNames((id, name) => isGroup(id) && startsWithName(text, name) && !groups.some((group) => group.id === id))

/** How someone is mentioned in the editor; undefined if the name is not known. */
export const getMentionName = (id: string): string | undefined => names[id]

/** Whether a text starts with the name of a person or an app that was mentioned before. */
export const isNameKnown = (text: string): boolean =>
  Object.entries(names).some(([id, name]) => !isGroup(id) && startsWithName(text, name))

/** The same of a group. */
export const isGroupKnown = (text: string): boolean =>
  Object.entries(names).some(([id, name]) => isGroup(id) && startsWithName(text, name))

/** Whether a text starts with a whole name, and not with a longer word. */
export const startsWithName = (text: string, name: string): boolean =>
  text.startsWith(name) && !/^[\p{L}\p{N}_]/u.test(text.slice(name.length))

const MENTION = /<@((?:mem|app|group)_[0-9a-z]{26})>/g
const MENTION_LINK = /<a class="mention"[^>]*>@([^<]*)<\/a>/g
const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }

function listMentions(markdown: string): string[] {
  const ids: string[] = []
  mapOutsideCode(markdown, (part) => part.replace(MENTION, (_, id) => String(ids.push(id))))
  return ids
}

/** Remembers the names of mentioned people. Markdown and HTML have the mentions in the same order. */
export function rememberMentions(markdown: string, html: string) {
  const ids = listMentions(markdown)
  const shown = [...html.matchAll(MENTION_LINK)].map(([, name]) => name!)
  if (ids.length !== shown.length) return
  for (const [at, id] of ids.entries())
    rememberName(
      id,
      shown[at]!.replace(/&(amp|lt|gt|quot);/g, (entity) => ENTITIES[entity]!),
    )
}

/** Converts Markdown to editor text: mentions by name. */
export const toEditorText = (markdown: string): string =>
  mapOutsideCode(markdown, (part) => part.replace(MENTION, (whole, id) => (names[id] ? `@${names[id]}` : whole)))

/** Converts editor text to Markdown: mentions by id. */
export function toMarkdown(text: string): string {
  if (!text.includes('@')) return text
  const ids = new Map(Object.entries(names).map(([id, name]) => [name, id]))
  const longestFirst = [...ids.keys()].filter((name) => text.includes(`@${name}`)).sort(byLength)
  if (longestFirst.length === 0) return text
  const mention = new RegExp(
    `(?<![\\p{L}\\p{N}_<])@(${longestFirst.map(escapeRegExp).join('|')})(?![\\p{L}\\p{N}_])`,
    'gu',
  )
  return mapOutsideCode(text, (part) => part.replace(mention, (_, name) => `<@${ids.get(name)}>`))
}

const byLength = (a: string, b: string) => b.length - a.length
/** With the flag `u`, nothing else may be escaped. */
const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** The ids of mentioned people and apps whose names are not loaded yet. */
export const listUnknownMentions = (markdown: string): string[] =>
  listMentions(markdown).filter((id) => names[id] === undefined)

/** Whom a text can mention. */
export type Mentionable =
  | Author
  | { id: string; type: 'group'; name: string; members_count: number }
  | { id: Everyone; type: 'everyone'; name: string }

/** How something is mentioned in the editor. Everyone has no name that could be typed by accident. */
export const toMentionText = ({ id, type, name }: Mentionable): string =>
  type === 'everyone' ? `<@${id}>` : `@${rememberName(id, name)}`

/** More than are shown, because some match by e-mail address only. */
export const MAX_RESULTS = 25

export const toAuthor = ({ id, user }: Member): Author => ({
  id,
  type: 'member',
  name: user.display_name,
  avatar_urls: user.avatar_urls,
})

/** People and apps that match a mention being typed, most recently active first. */
export const useMentionable = (query: string | undefined) =>
  useQuery({
    queryKey: ['mentionable', query],
    queryFn: () => findAuthors(query!),
    enabled: query !== undefined,
    placeholderData: query === undefined ? undefined : keepPreviousData,
    staleTime: 60_000,
  })

/**
 * The same for a text, with groups; and last, so that nobody chooses it by accident, everyone in its channel, if it is in one and
 * the member may mention them.
 */
export function useMentions(query: string | undefined, place: 'channel' | 'thread') {
  const me = useMe()
  const authors = useMentionable(query)
  const groups = useQuery({
    queryKey: [...keys.groups, 'mentionable', query],
    queryFn: () => findGroups(query!),
    enabled: query !== undefined && me.role !== 'guest',
    placeholderData: query === undefined ? undefined : keepPreviousData,
    staleTime: 60_000,
  })
  const found: Mentionable[] = [
    ...(authors.data ?? []),
    ...(groups.data ?? []).map(({ id, name, members_count }) => ({ id, type: 'group', name, members_count }) as const),
    ...(place === 'channel' && canMentionChannels(me)
      ? everyone.map((id) => ({ id, type: 'everyone', name: id }) as const)
      : []),
  ]
  return { found: authors.data && found, isPlaceholderData: authors.isPlaceholderData }
}

export async function findAuthors(query: string): Promise<Author[]> {
  const [members, apps] = await Promise.all([
    parley.members.list({ ...(query && { q: query }), sort: 'last_seen_at', direction: 'desc', limit: MAX_RESULTS }),
    parley.apps.list({ ...(query && { q: query }), limit: MAX_RESULTS }),
  ])
  return [
    ...members.data.filter(({ is_deactivated }) => !is_deactivated).map(toAuthor),
    ...apps.data.map(({ id, name, avatar_urls }): Author => ({ id, name, avatar_urls, type: 'app' })),
  ]
}
