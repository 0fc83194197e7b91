import type { FollowLevel } from '../../src/contract/follows'
import type { InboxReason } from '../../src/contract/inbox'
import * as m from './model'

export type Subject = m.Post | m.Thread | m.Channel
export type Item = m.Comment | m.Message

/** What a post, thread or channel is to a person. */
export interface SubjectState {
  readUpTo: number
  isMarkedUnread: boolean
  level?: FollowLevel
  isChosen: boolean
  entry?: Entry
}

export interface Entry {
  revision: number
  at: number
  reason: InboxReason
  actor: m.Person
  item?: Item
  isRead: boolean
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
}

/** Numbered as in the log, without what changes nothing here. */
export interface Attention {
  revision: number
  untold: Notice[]
  states: Map<m.Person, Map<Subject, SubjectState>>
  readEverything: Map<m.Person, number>
}

export const noAttention = (): Attention => ({ revision: 0, untold: [], states: new Map(), readEverything: new Map() })

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

/** What someone does is read by them. Who writes in a post follows it. */
export function noteOwn(model: m.Model, who: m.Person, subject: Subject, isFollowed = false) {
  if (who.role === 'app') return
  const state = stateOf(model, who, subject)
  Object.assign(state, { readUpTo: model.attention.revision, isMarkedUnread: false })
  if (isFollowed) state.level ??= 'all'
  if (state.entry) state.entry.isRead = true
}

/** Tells everyone of what happened since the last time, as things are now. */
export function fillInboxes(model: m.Model) {
  for (const notice of model.attention.untold.splice(0))
    if (isThere(notice.subject) && (!notice.item || isThere(notice.item)))
      for (const who of model.people) if (hears(model, who, notice)) addEntry(model, who, notice)
}

const isThere = (thing: Subject | Item) =>
  !('isGone' in thing && thing.isGone) && !('isEmptied' in thing && thing.isEmptied)

function hears(model: m.Model, who: m.Person, { subject, actor, named, followers }: Notice): boolean {
  if (who === actor || who.role === 'app' || who.isDeactivated || !seesSubject(who, subject)) return false
  const level = levelOf(model, who, subject)
  return named.includes(who) ? level !== 'none' : followers !== undefined && level === 'all'
}

function addEntry(model: m.Model, who: m.Person, notice: Notice) {
  const state = stateOf(model, who, notice.subject)
  const isRead = positionOf(model, who, notice.subject) >= notice.revision
  const { revision, at, actor, item } = notice
  const shown = { reason: reasonFor(who, notice), actor, item }
  const { entry } = state
  const showsMention = entry?.reason === 'mention' && !entry.isRead && shown.reason !== 'mention'
  if (shown.reason === 'mention') state.level ??= 'all'
  state.entry = {
    ...(showsMention ? { reason: entry.reason, actor: entry.actor, item: entry.item } : shown),
    ...{ revision, at, isRead, isArchived: isRead && (entry?.isArchived ?? false) },
  }
}

function reasonFor(who: m.Person, { subject, named, item, followers }: Notice): InboxReason {
  if (named.includes(who)) return isChannel(subject) || (isThread(subject) && !item) ? 'added' : 'mention'
  return item?.parent?.author === who ? 'reply' : followers!
}
