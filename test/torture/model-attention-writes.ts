import { followLevels } from '../../src/contract/follows'
import type { Random } from '../random-writes'
import * as m from './model'
import * as a from './model-attention'
import { idOf, NOTHING, type Plans, pickMostly, pickOrNone } from './model-picks'

/** What members read and follow, and what they do with their inbox. */
export const attentionPlans = {
  'reads.set'(model, who, random) {
    const subject = pickSubject(model, who, random)
    const item = pickItem(model, subject, random)
    return {
      isAfterFilling: subject !== undefined && a.isChannel(subject),
      ask: (client) => client.reads.set({ subject_id: idOf(subject), up_to_id: item?.id ?? '' }),
      apply() {
        const found = findSubject(who, subject)
        if (a.isChannel(found)) return item ? m.refuse('invalid_input') : readChannel(model, who, found)
        const upTo = findItem(found, item)
        const later = a.itemsOf(model, found).filter(({ revision }) => upTo && revision > upTo.revision)
        const next = Math.min(...later.map(({ revision }) => revision))
        readUpTo(model, who, found, Math.min(model.attention.revision, next - 1))
      },
    }
  },
  'reads.unset'(model, who, random) {
    const subject = pickSubject(model, who, random)
    const item = pickItem(model, subject, random)
    return {
      ask: (client) => client.reads.unset({ subject_id: idOf(subject), from_id: item?.id }),
      apply() {
        const found = findSubject(who, subject)
        if (a.isChannel(found)) m.refuse('invalid_input')
        unreadFrom(model, who, found, findItem(found, item)?.revision ?? a.activityOf(model, found))
      },
    }
  },
  'reads.setAll': (model, who) => ({
    ask: (client) => client.reads.setAll(),
    apply() {
      admitMember(who)
      const { attention } = model
      const states = [...a.statesOf(model, who).values()]
      const everything = attention.readEverything.get(who) ?? 0
      const isNews = (subject: a.Subject) => a.seesSubject(who, subject) && a.activityOf(model, subject) > everything
      const isNeeded =
        states.some(({ isMarkedUnread, entry }) => isMarkedUnread || entry?.isRead === false) ||
        [...model.posts, ...model.threads].some(isNews)
      if (!isNeeded) return
      attention.readEverything.set(who, attention.revision)
      states.forEach(setRead)
    },
  }),

  'follows.set'(model, who, random) {
    const subject = pickSubject(model, who, random)
    const level = random.pick(followLevels)
    return {
      ask: (client) => client.follows.set({ subject_id: idOf(subject), level }),
      apply() {
        Object.assign(a.stateOf(model, who, findSubject(who, subject)), { level, isChosen: true })
      },
    }
  },
  'follows.reset'(model, who, random) {
    const isChosen = (subject: a.Subject) => a.statesOf(model, who).get(subject)?.isChosen ?? false
    const subject = pickSubject(model, who, random, isChosen)
    return {
      ask: (client) => client.follows.reset({ subject_id: idOf(subject) }),
      apply() {
        const found = findSubject(who, subject)
        const state = a.stateOf(model, who, found)
        if (!state.isChosen) return
        const isOwn = a.isPost(found) && (state.entry?.reason === 'mention' || hasWrittenIn(model, who, found))
        Object.assign(state, { isChosen: false, level: isOwn ? 'all' : undefined })
      },
    }
  },

  'inbox.update'(model, who, random) {
    const hasEntry = (subject: a.Subject) => a.statesOf(model, who).get(subject)?.entry !== undefined
    const subject = pickSubject(model, who, random, hasEntry)
    const change = random.pick([{ read: true }, { read: false }, { archived: true }, { archived: false }])
    return {
      async ask(client) {
        const lists = [await client.inbox.list(), await client.inbox.list({ archived: true })]
        const entry = lists.flatMap(({ data }) => data).find((each) => each.subject.id === subject?.id)
        return client.inbox.update({ id: entry?.id ?? NOTHING, ...change })
      },
      apply() {
        const found = findSubject(who, subject)
        const { entry } = a.stateOf(model, who, found)
        if (!entry) m.refuse('not_found')
        if (change.archived !== undefined) entry.isArchived = change.archived
        if (change.read === undefined) return
        if (a.isChannel(found)) entry.isRead = change.read
        else if (!change.read && entry.isRead)
          unreadFrom(model, who, found, Math.min(entry.revision, a.activityOf(model, found)))
        else if (change.read && (!entry.isRead || a.unreadItemsOf(model, who, found).length > 0))
          readUpTo(model, who, found, model.attention.revision)
      },
    }
  },
  'inbox.readAll': (model, who) => ({
    ask: (client) => client.inbox.readAll(),
    apply() {
      admitMember(who)
      for (const [subject, state] of a.statesOf(model, who)) {
        if (!state.entry || state.entry.isRead || state.entry.isArchived) continue
        if (!a.isChannel(subject)) state.readUpTo = model.attention.revision
        setRead(state)
      }
    },
  }),
} satisfies Partial<Plans>

/** Apps have no inbox, and nothing they have read. */
function admitMember(who: m.Person) {
  m.admit(who, 'read')
  if (who.role === 'app') m.refuse('forbidden')
}

function findSubject(who: m.Person, subject: a.Subject | undefined): a.Subject {
  admitMember(who)
  return subject && a.seesSubject(who, subject) ? subject : m.refuse('not_found')
}

const pickSubject = (model: m.Model, who: m.Person, random: Random, isWanted = (_: a.Subject) => true) =>
  pickMostly<a.Subject>(
    [...model.posts, ...model.threads, ...model.channels],
    random,
    (each) => a.seesSubject(who, each) && isWanted(each),
  )

const subjectOf = (item: a.Item): a.Subject => ('post' in item ? item.post : item.thread)

const pickItem = (model: m.Model, subject: a.Subject | undefined, random: Random) =>
  pickOrNone<a.Item>([...model.comments, ...model.messages], random, (each) => subjectOf(each) === subject)

/** An item of this subject that is listed there. */
function findItem(subject: a.Subject, item: a.Item | undefined): a.Item | undefined {
  if (item && (item.isGone || subjectOf(item) !== subject)) m.refuse('invalid_input')
  return item
}

const hasWrittenIn = (model: m.Model, who: m.Person, post: m.Post) =>
  post.author === who || m.commentsOf(model, post).some(({ author }) => author === who)

function setRead(state: a.SubjectState) {
  state.isMarkedUnread = false
  if (state.entry) state.entry.isRead = true
}

function readUpTo(model: m.Model, who: m.Person, subject: a.Subject, upTo: number) {
  const state = a.stateOf(model, who, subject)
  const position = a.positionOf(model, who, subject)
  const readsEntry = state.entry?.isRead === false && state.entry.revision <= upTo
  if (!readsEntry && (position >= a.activityOf(model, subject) || upTo <= position)) return
  state.readUpTo = Math.max(position, upTo)
  if (state.entry && state.entry.revision <= state.readUpTo) state.entry.isRead = true
}

function readChannel(model: m.Model, who: m.Person, channel: m.Channel) {
  for (const [subject, state] of a.statesOf(model, who))
    if (subject === channel || (a.isPost(subject) && subject.channel === channel)) setRead(state)
  a.stateOf(model, who, channel).readUpTo = model.attention.revision
}

function unreadFrom(model: m.Model, who: m.Person, subject: a.Subject, revision: number) {
  const state = a.stateOf(model, who, subject)
  Object.assign(state, { readUpTo: revision - 1, isMarkedUnread: true })
  if (state.entry) state.entry.isRead = false
}
