import type { Input } from '../../contract'
import { notFound } from '../../contract/errors'
import { type SearchType, searchTypes } from '../../contract/search'
import { type Operator, type QueryPart, type State, states } from '../../contract/search-query'
import { isContradiction } from '../../domain/search/match'
import type { Terms } from '../../domain/search/terms'
import { findVisibleAuthors } from '../../store/authors'
import { findChannel } from '../../store/channels'
import { searchIndexOf } from '../../store/engines/search'
import { type ConditionFilter, matchCondition } from '../../store/search/condition'
import { findKeysBetween } from '../../store/search/positions'
import { findScope, type ScopeFilter } from '../../store/search/scope'
import { findThread } from '../../store/threads'
import type { ReadContext } from '../context'
import { findAuthorsNamed, findChannelNamed } from './names'
import { endOfPeriod, startOfPeriod } from './periods'
import { unknownValue } from './unknown-value'

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

/** What a parameter and the operators of one name, of which any may hold, have in common. Neither limits if it is absent. */
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
