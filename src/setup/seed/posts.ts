import type { SeededAuthor } from '../../store/seed/people'
import type { NewComment, NewPost, Text } from '../../store/seed/posts'
import { type WritableChannel, weightByActivity } from './channels'
import { type Kind, kinds, reports } from './kinds'
import { type Area, topics } from './places'
import { type Random, weighted } from './random'
import { comments, replies, resolutionNotes } from './remarks'
import { later, workingMoments } from './rhythm'
import { capitalised, filled, paragraph, type Texts, together } from './text'

const areas = Object.keys(topics) as Area[]
const pickKind = Object.fromEntries(
  areas.map((area) => {
    const possible = kinds.filter((kind) => kind.areas?.includes(area) ?? true)
    return [area, weighted(possible, (kind) => kind.weight)]
  }),
) as Record<Area, (random: Random) => Kind>

interface Wishes {
  posts: number
  commentsEvery: number
  until: number
}

/** Posts for ever, in the order they were published, with their comments and what became of them. */
export function openPosts(
  random: Random,
  texts: Texts,
  places: readonly WritableChannel[],
  options: Wishes,
): () => NewPost {
  const pickPlace = weightByActivity(places)
  const nextMoment = workingMoments(options.until, options.posts, random)
  let made = 0

  return () => {
    const published_at = nextMoment()
    const place = pickPlace(random)
    const topic = random.pick(topics[place.area])
    const isReport = place.apps.length > 0 && random.chance(0.07)
    const kind = isReport ? reports : pickKind[place.area](random)
    const author = isReport ? random.pick(place.apps) : someone(random, place.writers, published_at)
    made += 1
    const talk =
      made % options.commentsEvery === 0 ? newComments(random, texts, place, topic, published_at, options) : []
    const last = talk.reduce((latest, { created_at }) => Math.max(latest, created_at), published_at)
    const resolution = random.chance(kind.resolves)
      ? newResolution(random, texts, { place, topic, talk, last, until: options.until, author })
      : undefined
    return {
      id: random.id('post', published_at),
      channel: place,
      author_key: author.key,
      title: capitalised(filled(random, random.pick(kind.titles), topic)),
      text: newBody(random, texts, kind, topic),
      published_at,
      last_activity_at: resolution?.at ?? last,
      comments: talk,
      resolution,
    }
  }
}

function newBody(random: Random, texts: Texts, kind: Kind, topic: string): Text {
  const pieces = [texts(random.pick(kind.openings), topic)]
  if (kind.details.length > 0 && random.chance(0.95)) pieces.push(texts(random.pick(kind.details), topic))
  if (random.chance(0.9)) pieces.push(paragraph(filled(random, random.pick(kind.closings), topic)))
  return together(pieces)
}

/** One of those who had joined by then. The first had joined before everything. */
export function someone(random: Random, inOrder: readonly SeededAuthor[], at: number): SeededAuthor {
  const author = random.pick(inOrder)
  return author.joined_at <= at ? author : inOrder[Math.floor(random.fraction() * joinedBy(inOrder, at))]!
}

function joinedBy(inOrder: readonly SeededAuthor[], at: number): number {
  let low = 1
  let high = inOrder.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (inOrder[middle - 1]!.joined_at <= at) low = middle
    else high = middle - 1
  }
  return low
}

function newComments(
  random: Random,
  texts: Texts,
  place: WritableChannel,
  topic: string,
  from: number,
  { until }: Wishes,
): NewComment[] {
  const talk: NewComment[] = []
  const say = (after: number, words: readonly string[], parent?: number) => {
    const created_at = later(random, after, until)
    talk.push({
      id: random.id('cmt', created_at),
      parent,
      author_key: someone(random, place.writers, created_at).key,
      text: texts(random.pick(words), topic),
      created_at,
      replies_count: 0,
    })
    return created_at
  }
  let last = from
  for (let count = random.between(1, 3); count > 0; count--) {
    last = say(last, comments)
    const parent = talk.length - 1
    if (!random.chance(0.5)) continue
    for (let answers = random.between(1, 2); answers > 0; answers--) last = say(last, replies, parent)
    talk[parent]!.replies_count = talk.length - 1 - parent
  }
  return talk
}

interface Settled {
  place: WritableChannel
  topic: string
  talk: readonly NewComment[]
  last: number
  until: number
  author: SeededAuthor
}

/** By a comment where there are some, else with a note, or with nothing but the fact. */
function newResolution(random: Random, texts: Texts, { place, topic, talk, last, until, author }: Settled) {
  const at = later(random, last, until)
  const way = random.pick(['note', 'comment', 'neither'] as const)
  const byAuthor = author.role !== null && random.chance(0.6)
  return {
    at,
    by_key: byAuthor ? author.key : someone(random, place.writers, at).key,
    note: way === 'note' ? texts(random.pick(resolutionNotes), topic) : undefined,
    comment: way === 'comment' && talk.length > 0 ? random.between(0, talk.length - 1) : undefined,
  }
}
