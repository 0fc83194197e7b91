import type { Input } from '../contract'
import { fold } from '../contract/browser/fold'
import { type Operator, type QueryPart, type State, states } from '../contract/browser/search-query'
import { notFound, Problem } from '../contract/errors'
import { type SearchType, searchTypes } from '../contract/search'
import { isContradiction, type Terms } from '../domain/search/terms'
import { findChannel, findVisibleChannelByNameOrId } from '../store/content/channels'
import { findThread } from '../store/content/threads'
import { searchIndexOf } from '../store/engines/search'
import { listApps } from '../store/people/apps'
import { findVisibleAuthors } from '../store/people/authors'
import { listMembersNamed } from '../store/people/member-search'
import { findKeysBetween } from '../store/search/index-keys'
import { type ConditionFilter, findScope, matchCondition, type ScopeFilter } from '../store/search/scope'
import type { ReadContext } from './context'

type Filters = ScopeFilter & ConditionFilter

/** What to look for in the index; undefined if nothing can match. */
export async function resolveQuery(
  context: ReadContext,
  input: Input<'search.list'>,
  parts: readonly QueryPart[],
  terms: Terms,
) {
  const { db, viewer } = context
  const filters = await applyOperators(context, await readParameters(context, input), parts)
  const scope = filters && (await findScope(db, viewer, filters, terms.all.length > 0))
  if (!filters || !scope || isContradiction(terms)) return undefined
  const range = await findKeysBetween(db, filters)
  if (!range) return undefined
  const expanded = await searchIndexOf(db).expand(db, terms)
  return { terms: expanded, ...scope, ...range, condition: matchCondition(viewer, filters) }
}

async function readParameters({ db, viewer }: ReadContext, input: Input<'search.list'>): Promise<Filters> {
  const { channel_id, thread_id, author_id, created_after, created_before } = input
  const keyOf = async (what: string, finding: Promise<{ key: number } | undefined>) => {
    const found = await finding
    if (!found) throw notFound(what)
    return found.key
  }
  const findVisibleAuthor = async (id: string) => (await findVisibleAuthors(db, viewer, [id]))[0]
  return {
    types: input.types,
    channels: channel_id === undefined ? undefined : [await keyOf('channel', findChannel(db, viewer, channel_id))],
    thread: thread_id === undefined ? undefined : await keyOf('thread', findThread(db, viewer, thread_id)),
    authors: author_id === undefined ? undefined : [await keyOf('author', findVisibleAuthor(author_id))],
    resolved: input.resolved,
    createdAfter: created_after === undefined ? undefined : Date.parse(created_after),
    createdBefore: created_before === undefined ? undefined : Date.parse(created_before),
    notChannels: [],
    notAuthors: [],
  }
}

/** Of each operator; further ones are ignored, as each has to be looked up. */
const MAX_VALUES = 20

/** The filters of the parameters and the operators together; undefined if they contradict each other. */
async function applyOperators(
  context: ReadContext,
  filters: Filters,
  parts: readonly QueryPart[],
): Promise<Filters | undefined> {
  const operators = parts.filter((part) => part.kind === 'operator')
  const valuesOf = (name: Operator, isExcluded = false) => {
    const named = operators.filter((operator) => operator.name === name && operator.isExcluded === isExcluded)
    return [...new Set(named.map(({ value }) => value))].slice(0, MAX_VALUES)
  }
  const findChannels = (names: string[]) => Promise.all(names.map((name) => findChannelNamed(context, name)))
  const findAuthors = async (names: string[]) => [
    ...new Set((await Promise.all(names.map((name) => findAuthorsNamed(context, name)))).flat()),
  ]
  const channels = await findChannels(valuesOf('in'))
  const authors = await findAuthors(valuesOf('from'))
  const wanted = valuesOf('is').map(toState)
  const unwanted = valuesOf('is', true).map(toState)
  const states = [...wanted.filter(isOfPost), ...unwanted.filter(isOfPost).map((state) => opposite[state])]
  const resolved = new Set([filters.resolved ?? [], ...states.map((state) => state === 'resolved')].flat())
  if (resolved.size > 1) return undefined
  return {
    types: without(intersect(filters.types, wanted.filter(isType)), unwanted.filter(isType)),
    channels: intersect(filters.channels, channels),
    thread: filters.thread,
    authors: intersect(filters.authors, authors),
    resolved: [...resolved][0],
    createdAfter: latest([filters.createdAfter, ...valuesOf('after').map((value) => endOfPeriod('after', value))]),
    createdBefore: earliest([
      filters.createdBefore,
      ...valuesOf('before').map((value) => startOfPeriod('before', value)),
    ]),
    notChannels: await findChannels(valuesOf('in', true)),
    notAuthors: await findAuthors(valuesOf('from', true)),
  }
}

/** The values that a parameter and the operators of one name both allow. An absent parameter, or no operator, allows all. */
function intersect<T>(given: readonly T[] | undefined, named: readonly T[]): readonly T[] | undefined {
  if (named.length === 0) return given
  return given ? given.filter((one) => named.includes(one)) : [...new Set(named)]
}

const without = (types: readonly SearchType[] | undefined, unwanted: readonly SearchType[]) =>
  unwanted.length === 0 ? types : (types ?? searchTypes).filter((type) => !unwanted.includes(type))

const isGiven = (time: number | undefined) => time !== undefined
const latest = (times: readonly (number | undefined)[]) =>
  times.some(isGiven) ? Math.max(...times.filter(isGiven)) : undefined
const earliest = (times: readonly (number | undefined)[]) =>
  times.some(isGiven) ? Math.min(...times.filter(isGiven)) : undefined

const opposite = { open: 'resolved', resolved: 'open' } as const
const isOfPost = (state: State): state is keyof typeof opposite => state in opposite
const isType = (state: State): state is SearchType => !isOfPost(state)

function toState(value: string): State {
  const state = states.find((each) => each === value)
  if (state) return state
  throw unknownValue(`is:${value}`, `\`is:\` can be followed by ${states.join(', ')}.`)
}

/** How many people a name can mean. */
const MAX_PEOPLE = 200

/** The channel that `in:` means, by its name or id. */
async function findChannelNamed({ db, viewer }: ReadContext, name: string): Promise<number> {
  const channel = await findVisibleChannelByNameOrId(db, viewer, fold(name), name)
  if (channel) return channel.key
  throw unknownValue(`in:${name}`, 'There is no such channel that you can see. Write its name after `in:`.')
}

/** The people and apps that `from:` means: the caller (`me`), an id, or a name or its beginning. */
async function findAuthorsNamed(context: ReadContext, name: string): Promise<number[]> {
  if (name.toLowerCase() === 'me') return [context.viewer.author.key]
  const [known] = await findVisibleAuthors(context.db, context.viewer, [name])
  if (known) return [known.key]
  const text = fold(name)
  const named = text === '' ? [] : await findPeople(context, text)
  const exact = named.filter((person) => person.name === text)
  const chosen = exact.length > 0 ? exact : named.filter((person) => hasWordStartingWith(person.name, text))
  if (chosen.length > 0) return chosen.slice(0, MAX_PEOPLE).map(({ key }) => key)
  throw unknownValue(
    `from:${name}`,
    'There is nobody of this name whom you can see. Write a name, its beginning, or `me` after `from:`.',
  )
}

const hasWordStartingWith = (name: string, text: string) => ` ${name}`.includes(` ${text}`)

interface Person {
  key: number
  /** Folded. */
  name: string
}

async function findPeople({ db, viewer }: ReadContext, text: string): Promise<Person[]> {
  const members = await listMembersNamed(db, viewer, text, MAX_PEOPLE)
  const { found } = await listApps(db, viewer, text, { sort: 'created_at', scan: 'desc', limit: MAX_PEOPLE })
  return [
    ...members.map(({ author_key, search_text }) => ({
      key: author_key,
      name: search_text.slice(0, search_text.indexOf('\n')),
    })),
    ...found.rows.map(({ author_key, name }) => ({ key: author_key, name: fold(name) })),
  ]
}

const DATE = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/

/** When a day, month or year begins, in UTC. */
const startOfPeriod = (operator: string, value: string): number => periodOf(operator, value).start

/** When it is over. */
const endOfPeriod = (operator: string, value: string): number => periodOf(operator, value).end

function periodOf(operator: string, value: string): { start: number; end: number } {
  const [year = Number.NaN, month, day] = (DATE.exec(value) ?? []).slice(1).filter(Boolean).map(Number)
  const start = Date.UTC(year, (month ?? 1) - 1, day ?? 1)
  const date = new Date(start)
  // `Date` accepts dates that do not exist: February 30 becomes a day in March, and the year 50 becomes 1950.
  const isReal =
    date.getUTCFullYear() === year && date.getUTCMonth() + 1 === (month ?? 1) && date.getUTCDate() === (day ?? 1)
  if (!isReal)
    throw unknownValue(`${operator}:${value}`, 'Write a day, a month or a year, such as 2026-01-31, 2026-01 or 2026.')
  if (month === undefined) return { start, end: Date.UTC(year + 1, 0) }
  return { start, end: day === undefined ? Date.UTC(year, month) : Date.UTC(year, month - 1, day + 1) }
}

/** The problem of an operator whose value does not exist. `rule` says what would be right. */
function unknownValue(operator: string, rule: string): Problem {
  const message = `\`${operator}\` is unknown. ${rule}`
  return new Problem('invalid_input', `q: ${message}`, [{ in: 'query', name: 'q', message }])
}
