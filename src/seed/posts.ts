import type { SeededAuthor } from '../store/seed/people'
import type { NewComment, NewPost, Text } from '../store/seed/posts'
import { type WritableChannel, weightByActivity } from './channels'
import { type Kind, kinds, reports } from './kinds'
import { type Area, topics } from './places'
import { type Random, weighted } from './random'
import { comments, replies, resolutionNotes } from './remarks'
import { later, workingMoments } from './rhythm'
import { capitalised, fillTemplate, joinPieces, paragraph, type Texts } from './text'

const areas = Object.keys(topics) as Area[]
const pickKind = Object.fromEntries(
  areas.map((area) => {
    const possible = kinds.filter((kind) => kind.areas?.includes(area) ?? true)
    return [area, weighted(possible, (kind) => kind.weight)]
  }),
) as Record<Area, (random: Random) => Kind>

interface Options {
  posts: number
  commentsEvery: number
  until: number
}

/** An endless sequence of posts in the order of publication, with their comments and resolutions. */
export function openPosts(
  random: Random,
  texts: Texts,
  places: readonly WritableChannel[],
  options: Options,
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
    const author = isReport ? random.pick(place.apps) : pickAuthor(random, place.writers, published_at)
    made += 1
    const discussion =
      made % options.commentsEvery === 0 ? newComments(random, texts, place, topic, published_at, options) : []
    const last = discussion.reduce((latest, { created_at }) => Math.max(latest, created_at), published_at)
    const resolution = random.chance(kind.resolves)
      ? newResolution(random, texts, { place, topic, discussion, last, until: options.until, author })
      : undefined
    return {
      id: random.id('post', published_at),
      channel: place,
      author_key: author.key,
      title: capitalised(fillTemplate(random, random.pick(kind.titles), topic)),
      text: newBody(random, texts, kind, topic),
      published_at,
      last_activity_at: resolution?.at ?? last,
      comments: discussion,
      reactions: newReactions(discussion, made),
      resolution,
    }
  }
}

function newBody(random: Random, texts: Texts, kind: Kind, topic: string): Text {
  const pieces = [texts(random.pick(kind.openings), topic)]
  if (kind.details.length > 0 && random.chance(0.95)) pieces.push(texts(random.pick(kind.details), topic))
  if (random.chance(0.9)) pieces.push(paragraph(fillTemplate(random, random.pick(kind.closings), topic)))
  return joinPieces(pieces)
}

/** A random member who had joined by then. The first one had joined before all posts. */
function pickAuthor(random: Random, inOrder: readonly SeededAuthor[], at: number): SeededAuthor {
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
  { until }: Options,
): NewComment[] {
  const discussion: NewComment[] = []
  const say = (after: number, words: readonly string[], parent?: number) => {
    const created_at = later(random, after, until)
    discussion.push({
      id: random.id('cmt', created_at),
      parent,
      author_key: pickAuthor(random, place.writers, created_at).key,
      text: texts(random.pick(words), topic),
      created_at,
      replies_count: 0,
    })
    return created_at
  }
  let last = from
  for (let count = random.between(1, 3); count > 0; count--) {
    last = say(last, comments)
    const parent = discussion.length - 1
    if (!random.chance(0.5)) continue
    for (let answers = random.between(1, 2); answers > 0; answers--) last = say(last, replies, parent)
    discussion[parent]!.replies_count = discussion.length - 1 - parent
  }
  return discussion
}

const REACTIONS = ['👍', '🎉', '❤️', '👀', '🚀']

/** Those who discussed every third post have also reacted to it. */
const newReactions = (discussion: readonly NewComment[], made: number) =>
  made % 3 === 0
    ? [...new Map(discussion.map((comment) => [comment.author_key, comment])).values()].map(
        ({ author_key, created_at }, at) => ({
          author_key,
          emoji: REACTIONS[(made + (at >> 1)) % REACTIONS.length]!,
          created_at,
        }),
      )
    : []

interface ResolutionContext {
  place: WritableChannel
  topic: string
  discussion: readonly NewComment[]
  last: number
  until: number
  author: SeededAuthor
}

/** Resolves by a comment if there are some, otherwise with a note or with nothing. */
function newResolution(
  random: Random,
  texts: Texts,
  { place, topic, discussion, last, until, author }: ResolutionContext,
) {
  const at = later(random, last, until)
  const way = random.pick(['note', 'comment', 'neither'] as const)
  const byAuthor = author.role !== null && random.chance(0.6)
  return {
    at,
    by_key: byAuthor ? author.key : pickAuthor(random, place.writers, at).key,
    note: way === 'note' ? texts(random.pick(resolutionNotes), topic) : undefined,
    comment: way === 'comment' && discussion.length > 0 ? random.between(0, discussion.length - 1) : undefined,
  }
}
