import { followLevels } from '../../src/contract/follows'
import type { InboxEntry } from '../../src/contract/inbox'
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
        const from = findItem(found, item)?.revision ?? a.activityOf(model, found)
        const entries = a.entriesAbout(model, who, found)
        const isSame =
          a.positionOf(model, who, found) === from - 1 && entries.every((entry) => a.isEntryUnread(model, who, entry))
        if (!isSame) unreadFrom(model, who, found, from)
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
        states.some(({ isMarkedUnread }) => isMarkedUnread) ||
        a.entriesOf(model, who).some((entry) => a.isEntryUnread(model, who, entry)) ||
        [...model.posts, ...model.threads].some(isNews)
      if (!isNeeded) return
      attention.readEverything.set(who, attention.revision)
      for (const marked of [...states, ...a.entriesOf(model, who)]) marked.isMarkedUnread = false
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
        const isMentioned = a.entriesAbout(model, who, found).some(({ about }) => about === 'mention')
        const isOwn = a.isPost(found) && (isMentioned || hasWrittenIn(model, who, found))
        Object.assign(state, { isChosen: false, level: isOwn ? 'all' : undefined })
      },
    }
  },

  'inbox.update'(model, who, random) {
    const entry = pickMostly(a.entriesOf(model, who), random, (each) => a.isListed(model, who, each))
    const change = random.pick([{ read: true }, { read: false }, { archived: true }, { archived: false }])
    return {
      async ask(client) {
        const lists = [await client.inbox.list(), await client.inbox.list({ archived: true })]
        const isAsked = ({ subject, about, item_id }: InboxEntry) =>
          subject.id === entry?.subject.id &&
          about === entry.about &&
          (about !== 'reaction' || item_id === (entry.item?.id ?? null))
        const found = lists.flatMap(({ data }) => data).find(isAsked)
        return client.inbox.update({ id: found?.id ?? NOTHING, ...change })
      },
      apply() {
        admitMember(who)
        if (!entry || !a.isListed(model, who, entry)) m.refuse('not_found')
        if (change.archived !== undefined) entry.isArchived = change.archived
        if (change.read === undefined) return
        const { subject } = entry
        const isUnread = a.isEntryUnread(model, who, entry)
        if (a.isChannel(subject) || entry.about === 'reaction') {
          if (change.read === isUnread) Object.assign(entry, { isRead: change.read, isMarkedUnread: !change.read })
        } else if (!change.read && !isUnread)
          unreadFrom(model, who, subject, Math.min(entry.revision, a.activityOf(model, subject)), [entry])
        else if (change.read && (isUnread || a.unreadItemsOf(model, who, subject).length > 0)) {
          Object.assign(a.stateOf(model, who, subject), { readUpTo: model.attention.revision, isMarkedUnread: false })
          a.readEntries(model, who, subject, model.attention.revision)
        }
      },
    }
  },
  'inbox.readAll': (model, who) => ({
    ask: (client) => client.inbox.readAll(),
    apply() {
      admitMember(who)
      const entries = a.entriesOf(model, who)
      const isRead = (entry: a.Entry) =>
        !entry.isArchived && a.isEntryUnread(model, who, entry) && a.isListed(model, who, entry)
      const read = entries.filter(isRead)
      if (read.length === 0) return
      for (const { subject, about } of read)
        if (!a.isChannel(subject) && about !== 'reaction')
          Object.assign(a.stateOf(model, who, subject), { readUpTo: model.attention.revision, isMarkedUnread: false })
      for (const entry of entries) entry.isMarkedUnread = false
      model.attention.readInbox.set(who, Math.max(model.attention.filled, ...read.map(({ revision }) => revision)))
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

function readUpTo(model: m.Model, who: m.Person, subject: a.Subject, upTo: number) {
  const state = a.stateOf(model, who, subject)
  const position = a.positionOf(model, who, subject)
  const readsEntry = a
    .entriesAbout(model, who, subject)
    .some((entry) => a.isEntryUnread(model, who, entry) && entry.revision <= upTo)
  if (!readsEntry && (position >= a.activityOf(model, subject) || upTo <= position)) return
  state.readUpTo = Math.max(position, upTo)
  a.readEntries(model, who, subject, state.readUpTo)
}

function readChannel(model: m.Model, who: m.Person, channel: m.Channel) {
  const isIn = (subject: a.Subject) => subject === channel || (a.isPost(subject) && subject.channel === channel)
  for (const [subject, state] of a.statesOf(model, who)) if (isIn(subject)) state.isMarkedUnread = false
  for (const entry of a.entriesOf(model, who)) if (isIn(entry.subject)) entry.isMarkedUnread = false
  a.stateOf(model, who, channel).readUpTo = model.attention.revision
  a.readEntries(model, who, channel, model.attention.revision)
}

/** Entries of what is unread then, or else the latest one, become unread with it; reactions do not. */
function unreadFrom(model: m.Model, who: m.Person, subject: a.Subject, revision: number, chosen?: a.Entry[]) {
  Object.assign(a.stateOf(model, who, subject), { readUpTo: revision - 1, isMarkedUnread: true })
  const able = a
    .entriesAbout(model, who, subject)
    .filter(({ about }) => about !== 'reaction')
    .sort((one, other) => other.revision - one.revision)
  const since = able.filter((entry) => entry.revision >= revision)
  for (const entry of chosen ?? (since.length > 0 ? since : able.slice(0, 1)))
    Object.assign(entry, { isRead: false, isMarkedUnread: true })
}
