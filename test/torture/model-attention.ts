import type { FollowLevel } from '../../src/contract/follows'
import { aboutOf, type InboxAbout, type InboxReason } from '../../src/contract/inbox'
import * as m from './model'
import { type Reacted, reactionsTo } from './model-content'

export type Subject = m.Post | m.Thread | m.Channel
export type Item = m.Comment | m.Message

/** What a post, thread or channel is to a person. */
export interface SubjectState {
  readUpTo: number
  isMarkedUnread: boolean
  level?: FollowLevel
  isChosen: boolean
}

/** An entry of an inbox. A subject has one for each thing it can be about, and one for each record that was reacted to. */
export interface Entry {
  subject: Subject
  about: InboxAbout
  revision: number
  at: number
  reason: InboxReason
  actor: m.Person
  item?: Item
  /** Read by itself or with its subject; else it is read with its channel, with the inbox, or with everything. */
  isRead: boolean
  isMarkedUnread: boolean
  isArchived: boolean
}

/** An event, for the inboxes of the members it concerns. */
export interface Notice {
  revision: number
  subject: Subject
  item?: Item
  actor: m.Person
  at: number
  /** The reason for followers of the subject. Without it, only the members it names get an entry. */
  followers?: InboxReason
  named: m.Person[]
  /** A reaction was added or removed. */
  reaction?: 'added' | 'removed'
}

/** Numbered as in the log, without what changes nothing here. */
export interface Attention {
  revision: number
  untold: Notice[]
  states: Map<m.Person, Map<Subject, SubjectState>>
  entries: Map<m.Person, Entry[]>
  readEverything: Map<m.Person, number>
  readInbox: Map<m.Person, number>
  /** Up to where everyone was told. */
  filled: number
}

export const noAttention = (): Attention => ({
  revision: 0,
  untold: [],
  states: new Map(),
  entries: new Map(),
  readEverything: new Map(),
  readInbox: new Map(),
  filled: 0,
})

export const isPost = (subject: Subject): subject is m.Post => 'channel' in subject
export const isThread = (subject: Subject): subject is m.Thread => 'isDirect' in subject
export const isChannel = (subject: Subject): subject is m.Channel => 'isPrivate' in subject

export function seesSubject(who: m.Person, subject: Subject): boolean {
  if (isPost(subject)) return m.seesPost(who, subject)
  return isThread(subject) ? m.seesThread(who, subject) : m.seesChannel(who, subject)
}

export const statesOf = ({ attention: { states } }: m.Model, who: m.Person) =>
  states.getOrInsertComputed(who, () => new Map())

/** Its state, made if it is missing. */
export const stateOf = (model: m.Model, who: m.Person, subject: Subject): SubjectState =>
  statesOf(model, who).getOrInsertComputed(subject, () => ({ readUpTo: 0, isMarkedUnread: false, isChosen: false }))

/** Comments of a post that still say something, or the messages of a thread. */
export function itemsOf(model: m.Model, subject: Subject): Item[] {
  if (isPost(subject)) return m.commentsOf(model, subject).filter(({ isEmptied }) => !isEmptied)
  return isThread(subject) ? m.messagesOf(model, subject) : []
}

/** The revision of what happened last. A thread whose messages are all deleted has nothing to be read. */
export function activityOf(model: m.Model, subject: Subject): number {
  const items = itemsOf(model, subject).map(({ revision }) => revision)
  if (isPost(subject)) return Math.max(subject.revision, ...items)
  if (items.length > 0 || isChannel(subject)) return Math.max(0, ...items)
  return model.messages.some(({ thread }) => thread === subject) ? 0 : subject.revision
}

export function positionOf(model: m.Model, who: m.Person, subject: Subject): number {
  const { readUpTo, isMarkedUnread } = stateOf(model, who, subject)
  if (isMarkedUnread) return readUpTo
  const ofChannel = isPost(subject) ? stateOf(model, who, subject.channel).readUpTo : 0
  return Math.max(readUpTo, ofChannel, model.attention.readEverything.get(who) ?? 0)
}

export const isUnread = (model: m.Model, who: m.Person, subject: Subject) =>
  activityOf(model, subject) > positionOf(model, who, subject)

/** What others wrote since the person read it, in order. */
export function unreadItemsOf(model: m.Model, who: m.Person, subject: Subject): Item[] {
  const position = positionOf(model, who, subject)
  const unread = itemsOf(model, subject).filter(({ author, revision }) => author !== who && revision > position)
  return unread.sort((a, b) => a.revision - b.revision)
}

export function levelOf(model: m.Model, who: m.Person, subject: Subject): FollowLevel {
  const { level } = stateOf(model, who, subject)
  const ofChannel = isPost(subject) ? stateOf(model, who, subject.channel).level : undefined
  return level ?? ofChannel ?? (isThread(subject) ? 'all' : 'mentions')
}

/** Something happened. Returns its revision. */
export function happen({ attention }: m.Model, notice: Omit<Notice, 'revision'>): number {
  attention.revision += 1
  attention.untold.push({ ...notice, revision: attention.revision })
  return attention.revision
}

/** The entries of a person, without those about what was deleted. */
export function entriesOf({ attention: { entries } }: m.Model, who: m.Person): Entry[] {
  const all = entries.getOrInsertComputed(who, () => [])
  const left = all.filter(
    ({ subject, about, item }) => isThere(subject) && (about !== 'reaction' || !item || isThere(item)),
  )
  if (left.length < all.length) entries.set(who, left)
  return entries.get(who)!
}

export const entriesAbout = (model: m.Model, who: m.Person, subject: Subject) =>
  entriesOf(model, who).filter((entry) => entry.subject === subject)

export function isEntryUnread(model: m.Model, who: m.Person, entry: Entry): boolean {
  const { readEverything, readInbox } = model.attention
  const ofChannel = isPost(entry.subject) ? stateOf(model, who, entry.subject.channel).readUpTo : 0
  const covered = Math.max(ofChannel, readEverything.get(who) ?? 0, readInbox.get(who) ?? 0)
  return entry.isMarkedUnread || (!entry.isRead && entry.revision > covered)
}

/** The reactions of others to what an entry is about, the latest first. */
export function reactionsOfOthers(model: m.Model, who: m.Person, { subject, item }: Entry) {
  const reactions = [...reactionsTo(model, (item ?? subject) as Reacted)].flatMap(([emoji, people]) =>
    [...people].map(([person, { order, at }]) => ({ emoji, person, order, at })),
  )
  return reactions.filter(({ person }) => person !== who).sort((one, other) => other.order - one.order)
}

/** Whether a person finds an entry in their inbox or archive. */
export const isListed = (model: m.Model, who: m.Person, entry: Entry): boolean =>
  seesSubject(who, entry.subject) && (entry.about !== 'reaction' || reactionsOfOthers(model, who, entry).length > 0)

/** Reads entries of a subject up to a revision. */
export function readEntries(model: m.Model, who: m.Person, subject: Subject, upTo: number) {
  for (const entry of entriesAbout(model, who, subject))
    if (entry.revision <= upTo) Object.assign(entry, { isRead: true, isMarkedUnread: false })
}

/** What someone does is read by them. Who writes in a post follows it. */
export function noteOwn(model: m.Model, who: m.Person, subject: Subject, isFollowed = false) {
  if (who.role === 'app') return
  const state = stateOf(model, who, subject)
  Object.assign(state, { readUpTo: model.attention.revision, isMarkedUnread: false })
  if (isFollowed) state.level ??= 'all'
  readEntries(model, who, subject, model.attention.revision)
}

/** What is in a channel is read by who is added to it; what their inbox has of it stays unread. */
export function comeBack(model: m.Model, who: m.Person, channel: m.Channel) {
  for (const entry of entriesOf(model, who))
    if (isPost(entry.subject) && entry.subject.channel === channel && isEntryUnread(model, who, entry))
      entry.isMarkedUnread = true
  stateOf(model, who, channel).readUpTo = model.attention.revision
}

/** Tells everyone of what happened since the last time, as things are now. */
export function fillInboxes(model: m.Model) {
  model.attention.filled = model.attention.revision
  const notices = model.attention.untold
    .splice(0)
    .filter(({ subject, item }) => isThere(subject) && (!item || isThere(item)))
  for (const notice of notices)
    if (notice.reaction !== 'removed')
      for (const who of model.people) if (hears(model, who, notice)) addEntry(model, who, notice)
  for (const { reaction, subject, item, named } of notices)
    for (const who of reaction === 'removed' ? named : []) {
      const isGone = (entry: Entry) =>
        entry.about === 'reaction' &&
        entry.subject === subject &&
        entry.item === item &&
        !isListedReaction(model, who, entry)
      model.attention.entries.set(
        who,
        entriesOf(model, who).filter((entry) => !isGone(entry)),
      )
    }
}

const isListedReaction = (model: m.Model, who: m.Person, entry: Entry) =>
  reactionsOfOthers(model, who, entry).length > 0

const isThere = (thing: Subject | Item) =>
  !('isGone' in thing && thing.isGone) && !('isEmptied' in thing && thing.isEmptied)

function hears(model: m.Model, who: m.Person, { subject, actor, named, followers }: Notice): boolean {
  if (who === actor || who.role === 'app' || who.isDeactivated || !seesSubject(who, subject)) return false
  const level = levelOf(model, who, subject)
  return named.includes(who) ? level !== 'none' : followers !== undefined && level === 'all'
}

function addEntry(model: m.Model, who: m.Person, notice: Notice) {
  const { revision, at, actor, item, subject } = notice
  const reason = reasonFor(who, notice)
  const about = aboutOf[reason]
  const isReaction = about === 'reaction'
  const isRead = isReaction || positionOf(model, who, subject) >= revision
  if (reason === 'mention') stateOf(model, who, subject).level ??= 'all'
  const entries = entriesOf(model, who)
  const known = entries.find(
    (entry) => entry.subject === subject && entry.about === about && (!isReaction || entry.item === item),
  )
  const isArchived = isRead && !isReaction && (known?.isArchived ?? false)
  const shown = { subject, about, revision, at, reason, actor, item, isRead, isMarkedUnread: false, isArchived }
  if (known) Object.assign(known, shown)
  else entries.push(shown)
}

function reasonFor(who: m.Person, { subject, named, item, followers, reaction }: Notice): InboxReason {
  if (reaction) return 'reaction'
  if (named.includes(who)) return isChannel(subject) || (isThread(subject) && !item) ? 'added' : 'mention'
  return item?.parent?.author === who ? 'reply' : followers!
}
