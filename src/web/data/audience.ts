import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Audience, MentionedAudience } from '../../contract/audience'
import type { Author } from '../../contract/shapes'
import { notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { cache, parley } from './cache/parley'
import { markPeopleStale } from './channel-members'
import { mapOutsideCode } from './code-ranges'
import { lookUpMentions } from './markdown'
import { toMarkdown, useKnownNames } from './mentions'

/** Where a text will be. */
export interface AudiencePlace {
  /** Differs where the answers do. */
  key: string
  /** As in “cannot see #product”. */
  name: string
  /** Who gets a text with these mentions. */
  ask(ids: readonly string[]): Promise<Audience>
  /** Adds people, who can see the text then. */
  add(people: readonly Author[]): Promise<void>
}

const askServer = (subject_id: string) => (ids: readonly string[]) =>
  parley.audience.get({ subject_id, ...(ids.length > 0 && { ids: [...ids] }) })

/** A channel, or a post in it. */
export const channelPlace = ({ id, name }: { id: string; name: string }, subjectId = id): AudiencePlace => ({
  key: subjectId,
  name: `#${name}`,
  ask: askServer(subjectId),
  async add(people) {
    for (const person of people) await parley.channels.addMember({ channel_id: id, member_id: person.id })
    markPeopleStale(id)
  },
})

export const threadPlace = (id: string): AudiencePlace => ({
  key: id,
  name: 'this thread',
  ask: askServer(id),
  async add(people) {
    for (const person of people) await parley.threads.addMember({ thread_id: id, member_id: person.id })
  },
})

const MENTION = /<@((?:mem|app|group)_[0-9a-z]{26}|channel|here)>/g
/** `audience.get` takes no more. */
const MAX_IDS = 50
const PAUSE_MS = 250

/** What a text in an editor mentions. */
export function listMentionedIds(text: string): string[] {
  if (!text.includes('@')) return []
  const ids = new Set<string>()
  mapOutsideCode(toMarkdown(text), (part) => {
    for (const [, id] of part.matchAll(MENTION)) ids.add(id!)
    return part
  })
  return [...ids].slice(0, MAX_IDS)
}

/** The same, with those whose names were typed by hand, if they are found soon. */
export async function findMentionedIds(text: string): Promise<string[]> {
  await soon(lookUpMentions(text))
  return listMentionedIds(text)
}

/** The same, in pauses of typing. */
export function useMentionedIds(text: string): string[] {
  const [joined, setJoined] = useState('')
  const names = useKnownNames()
  useEffect(() => {
    const timer = setTimeout(() => setJoined(listMentionedIds(text).join()), text.includes('@') ? PAUSE_MS : 0)
    return () => clearTimeout(timer)
  }, [text, names])
  return joined === '' ? [] : joined.split(',')
}

const audienceQuery = ({ key, ask }: AudiencePlace, ids: readonly string[]) => ({
  queryKey: keys.audience(key, ids),
  queryFn: () => ask(ids),
  staleTime: 20_000,
  retry: false,
})

/** Who gets a text with these mentions; while that is loading, of the mentions before. */
export const useAudience = (place: AudiencePlace | undefined, ids: readonly string[], isWanted: boolean) =>
  useQuery({
    ...audienceQuery(place ?? NOWHERE, ids),
    enabled: place !== undefined && isWanted,
    placeholderData: (before: Audience | undefined, query) =>
      query?.queryKey[1] === place?.key ? keepPreviousData(before) : undefined,
  }).data

const NOWHERE: AudiencePlace = { key: '', name: '', ask: () => Promise.reject(), add: async () => {} }

/** The same, once. Undefined if there is no answer soon. */
export const fetchAudience = (place: AudiencePlace, ids: readonly string[]): Promise<Audience | undefined> =>
  soon(cache.fetchQuery({ ...audienceQuery(place, ids), networkMode: 'always' }))

const MAX_WAIT_MS = 2_000

/** Undefined if it fails or takes too long. */
const soon = <T>(found: Promise<T>): Promise<T | undefined> =>
  Promise.race([found.catch(() => undefined), new Promise<undefined>((resolve) => setTimeout(resolve, MAX_WAIT_MS))])

/** Adds people to where a text will be. */
export async function giveAccess({ add }: AudiencePlace, people: readonly Author[]) {
  try {
    await add(people)
  } catch (error) {
    notifyProblem("Couldn't add them.", error)
  }
  await cache.invalidateQueries({ queryKey: keys.audiences })
}

/** What is worth knowing before a text is sent. */
export interface MentionNote {
  key: string
  text: string
  /** Whether it is told before the text is sent, even if that happens at once. */
  isWarning: boolean
  /** Who can be given access, at most as many as are named at once. */
  people: readonly Author[]
  /** Whether there are more of them. */
  hasMore: boolean
}

const MAX_NAMED = 3

/** What those who are mentioned do not get, and how many a mention of many reaches. */
export function describeMentions(mentioned: readonly MentionedAudience[], place: AudiencePlace): MentionNote[] {
  const isOne = ({ type }: MentionedAudience) => type === 'member' || type === 'app'
  const excluded = mentioned.filter((each) => isOne(each) && each.without_access_count > 0)
  const people = excluded.flatMap(({ without_access }) => without_access)
  const ones: MentionNote[] =
    people.length === 0
      ? []
      : [
          {
            key: `${place.key} ${people.map(({ id }) => id).join()}`,
            text: `${listNames(people)} cannot see ${place.name}${canAdd(excluded) ? '.' : ', so they are not notified.'}`,
            isWarning: true,
            people: canAdd(excluded) ? people : [],
            hasMore: false,
          },
        ]
  return [...ones, ...mentioned.filter((each) => !isOne(each)).map((each) => describeMany(each, place))]
}

const canAdd = (mentioned: readonly MentionedAudience[]) => mentioned.every(({ can_add }) => can_add)

/** A group, or everyone in a channel. */
function describeMany(mentioned: MentionedAudience, { key, name: place }: AudiencePlace): MentionNote {
  const { id, type, name, is_allowed, reaches, without_access, without_access_count: excluded } = mentioned
  const note = (text: string, isWarning: boolean, people: readonly Author[] = []) => ({
    key: `${key} ${id} ${excluded}`,
    ...{ text, isWarning, people, hasMore: people.length > 0 && people.length < excluded },
  })
  if (!is_allowed) return note(`You cannot notify everyone with @${name} here.`, true)
  const reached = `@${name} notifies ${countPeople(reaches)}`
  if (type === 'here' && reaches === 0) return note(`${reached}: nobody else is online.`, true)
  if (type === 'here') return note(`${reached} who ${reaches === 1 ? 'is' : 'are'} online.`, true)
  if (type === 'channel') return note(`${reached}.`, true)
  if (excluded === 0) return note(`${reached}.`, false)
  const text = `${reached}. ${countPeople(excluded)} of the group cannot see ${place}.`
  return note(text, true, mentioned.can_add ? without_access : [])
}

export const countPeople = (count: number) =>
  count === 0 ? 'nobody' : count === 1 ? '1 person' : `${count.toLocaleString()}${count >= 1_000 ? '+' : ''} people`

function listNames(people: readonly Author[]): string {
  const names = people.slice(0, MAX_NAMED).map(({ name }) => name)
  const others = people.length - names.length
  if (others > 0) names.push(others === 1 ? '1 other' : `${others} others`)
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
