import type { EventType } from '../../src/contract/event-types'
import type { Event } from '../../src/contract/events'
import { author, idOf } from '../expectations'
import { picture } from '../me/pictures'
import { signedIn } from '../session/browser'
import type { Person, World } from '../world'

/** Everything someone may read of the log after an event. */
export async function allEvents(who: Person, after?: string): Promise<Event[]> {
  const page = await who.events.list({ after })
  return page.has_more ? [...page.data, ...(await allEvents(who, page.next_cursor))] : page.data
}

/** The id of the newest event, whoever may see it. */
export const endOfLog = async (who: Person, after?: string): Promise<string> => {
  const page = await who.events.list({ after })
  return page.has_more ? endOfLog(who, page.next_cursor) : page.next_cursor
}

export type Said = [EventType, unknown][]

/** Does one of everything; what each call answered is what its event must say. */
export async function doEverything(cast: World): Promise<Said> {
  return [
    ...(await writeAndDiscuss(cast)),
    ...(await talk(cast)),
    ...(await manageChannels(cast)),
    ...(await manageMembers(cast)),
    ...(await manageWorkspace(cast)),
    ...(await signInAndOut(cast)),
    ...(await manageApps(cast)),
    ...(await manageWebhooks(cast)),
    ...(await manageHooks(cast)),
    ...(await readAndFollow(cast)),
    ...(await react(cast)),
  ]
}

async function writeAndDiscuss({ root, general, bot }: World): Promise<Said> {
  const post = await root.posts.create({ channel_id: general.id, content_markdown: `Lunch, <@${bot.id}>?` })
  const updated = await root.posts.update({ id: post.id, title: 'Dinner' })
  const comment = await root.comments.create({ post_id: post.id, content_markdown: 'Noon' })
  const edited = await root.comments.update({ id: comment.id, content_markdown: 'One' })
  const resolved = await root.posts.resolve({ post_id: post.id, comment_id: comment.id })
  const unresolved = await root.posts.unresolve({ post_id: post.id })
  await root.pins.set({ post_id: post.id })
  await root.pins.unset({ post_id: post.id })
  const draft = await root.posts.create({ channel_id: general.id, content_markdown: 'Draft' })
  const remark = await root.comments.create({ post_id: draft.id, content_markdown: 'Not yet' })
  await root.comments.delete({ id: remark.id })
  const last = await root.posts.get({ id: draft.id })
  await root.posts.delete({ id: draft.id })
  return [
    ['post.created', post],
    ['app.mentioned', { app: author(bot, 'Bot', 'app'), subject_type: 'post', subject: post }],
    ['post.updated', updated],
    ['comment.created', comment],
    ['comment.updated', edited],
    ['post.resolved', resolved],
    ['post.unresolved', unresolved],
    ['post.pinned', unresolved],
    ['post.unpinned', unresolved],
    ['post.created', emptied(draft)],
    ['comment.created', emptied(remark)],
    ['comment.deleted', emptied(remark)],
    ['post.deleted', emptied(last)],
  ]
}

/** A record as events show it once it was deleted. */
export const emptied = <T extends { content: string; title?: string }>(record: T): T => ({
  ...record,
  content: '',
  ...(record.title !== undefined && { title: '', resolution: null }),
})

async function talk({ root, ada, bob }: World): Promise<Said> {
  const thread = await root.threads.create({ title: 'Plans', member_ids: [ada.id] })
  const message = await root.messages.create({ thread_id: thread.id, content_markdown: 'Hi' })
  const edited = await root.messages.update({ id: message.id, content_markdown: 'Ho' })
  const slip = await root.messages.create({ thread_id: thread.id, content_markdown: 'Oops' })
  await root.messages.delete({ id: slip.id })
  await root.threads.addMember({ thread_id: thread.id, member_id: bob.id })
  const withBob = await root.threads.get({ id: thread.id })
  await root.threads.removeMember({ thread_id: thread.id, member_id: bob.id })
  const withoutBob = await root.threads.get({ id: thread.id })
  // Nothing else is heard of a thread that one has left.
  const left = await root.threads.create({ member_ids: [ada.id] })
  await root.threads.leave({ thread_id: left.id })
  const file = await root.files.upload({ file: new Blob(['plan']), name: 'plan.txt' })
  const shared = await root.messages.create({ thread_id: thread.id, content_markdown: '', file_ids: [file.id] })
  await root.files.delete({ id: file.id })
  return [
    ['thread.created', thread],
    ['message.created', message],
    ['message.updated', edited],
    ['message.created', emptied(slip)],
    ['message.deleted', emptied(slip)],
    ['thread.member_added', { thread: withBob, member: author(bob, 'Bob Moore') }],
    ['thread.member_removed', { thread: withoutBob, member: author(bob, 'Bob Moore') }],
    ['access.lost', { subject_type: 'thread', subject_id: left.id, reason: 'left' }],
    ['inbox.updated', { subject_id: left.id }],
    ['message.created', shared],
    ['file.deleted', { id: file.id }],
  ]
}

async function manageChannels({ root, ada }: World): Promise<Said> {
  const channel = await root.channels.create({ name: 'plans', description: 'What comes next' })
  const updated = await root.channels.update({ id: channel.id, name: 'schemes' })
  await root.channels.addMember({ channel_id: channel.id, member_id: ada.id })
  const withAda = await root.channels.get({ id: channel.id })
  await root.channels.removeMember({ channel_id: channel.id, member_id: ada.id })
  const withoutAda = await root.channels.get({ id: channel.id })
  // What happened in a channel is seen by nobody once it is archived, but that it was.
  const old = await root.channels.create({ name: 'old' })
  await root.channels.delete({ id: old.id })
  const [archived] = (await root.channels.list({ archived: true })).data
  return [
    ['channel.created', channel],
    ['channel.updated', updated],
    ['channel.member_added', { channel: withAda, member: author(ada, 'Ada Lovelace') }],
    ['channel.member_removed', { channel: withoutAda, member: author(ada, 'Ada Lovelace') }],
    ['channel.deleted', archived],
  ]
}

async function manageMembers({ root }: World): Promise<Said> {
  const member = await root.members.create({ email: 'eve@example.com', display_name: 'Eve', role: 'member' })
  const updated = await root.members.update({ id: member.id, role: 'viewer' })
  const deactivated = await root.members.update({ id: member.id, is_deactivated: true })
  const reactivated = await root.members.update({ id: member.id, is_deactivated: false })
  return [
    ['member.created', member],
    ['member.updated', updated],
    ['member.deactivated', deactivated],
    ['member.reactivated', reactivated],
  ]
}

async function manageWorkspace({ root }: World): Promise<Said> {
  const profile = await root.me.updateProfile({ job_title: 'Head of plans', time_zone: 'Europe/Berlin' })
  const renamed = await root.workspace.update({ name: 'Plans and schemes' })
  return [
    ['profile.updated', profile],
    ['workspace.updated', renamed],
  ]
}

async function signInAndOut(cast: World): Promise<Said> {
  const { ask } = await signedIn(cast, cast.root, { 'User-Agent': 'Mozilla/5.0 (X11; Linux) Firefox/151.0' })
  await ask('DELETE', '/session')
  await cast.root.members.createSignInLink({ member_id: cast.root.id })
  await cast.root.me.setPassword({ password: 'correct horse' })
  await cast.root.me.deletePassword({ current_password: 'correct horse' })
  const note = { id: idOf('ses'), name: 'Firefox on Linux', member: author(cast.root, 'Root Admin') }
  return [
    ['session.created', note],
    ['session.ended', note],
    ['sign_in_link.created', { id: idOf('link'), member: note.member }],
    ['password.changed', { member: note.member }],
    ['sign_in_link.revoked', { id: idOf('link'), member: note.member }],
    ['password.removed', { member: note.member }],
  ]
}

async function manageApps({ root }: World): Promise<Said> {
  const app = await root.apps.create({ name: 'Builds' })
  const { token: _, ...token } = await root.apps.createToken({ id: app.id, scopes: ['read'] })
  const [listed] = (await root.apps.listTokens({ id: app.id })).data
  await root.tokens.delete({ id: token.id })
  const [last] = (await root.apps.list()).data.filter(({ id }) => id === app.id)
  await root.apps.delete({ id: app.id })
  return [
    ['app.created', app],
    ['token.created', listed],
    ['token.revoked', listed],
    ['app.deleted', last],
  ]
}

async function manageWebhooks({ root }: World): Promise<Said> {
  const { secret: _, ...webhook } = await root.webhooks.create({ url: 'https://example.com/hook' })
  const updated = await root.webhooks.update({ id: webhook.id, types: ['post.created'], is_enabled: false })
  const { secret: __, ...rotated } = await root.webhooks.rotateSecret({ id: webhook.id })
  await root.webhooks.delete({ id: webhook.id })
  // What everyone reads shows no more of the address than what everyone may know.
  const url = 'https://example.com/…'
  return [
    ['webhook.created', { ...webhook, url }],
    ['webhook.updated', { ...updated, url }],
    ['webhook.updated', { ...rotated, url }],
    ['webhook.deleted', { ...rotated, url }],
  ]
}

async function manageHooks({ root, general }: World): Promise<Said> {
  const { url: _, ...hook } = await root.hooks.create({ name: 'Grafana', channel_id: general.id })
  const renamed = await root.hooks.update({ id: hook.id, name: 'Alerts' })
  await root.hooks.delete({ id: hook.id })
  // Not everyone who reads this may know what the target is called.
  const target = { ...hook.target, title: null }
  return [
    ['hook.created', { ...hook, target }],
    ['hook.updated', { ...renamed, target }],
    ['hook.deleted', { ...renamed, target }],
  ]
}

async function readAndFollow({ root, general }: World): Promise<Said> {
  const post = await root.posts.create({ channel_id: general.id, content_markdown: 'Read this' })
  await root.reads.unset({ subject_id: post.id })
  const follow = await root.follows.set({ subject_id: post.id, level: 'none' })
  const { saved_at, remind_at } = await root.saved.set({ post_id: post.id })
  await root.inbox.readAll()
  const draft = await root.drafts.save({ subject_id: post.id, content_markdown: 'I have read' })
  return [
    ['post.created', post],
    ['read.updated', { subject_id: post.id }],
    ['follow.updated', follow],
    ['saved.updated', { post_id: post.id, saved_at, remind_at }],
    ['inbox.updated', { subject_id: null }],
    ['draft.updated', { subject_id: post.id, version: draft.version, is_deleted: false }],
  ]
}

async function react({ root, general }: World): Promise<Said> {
  const post = await root.posts.create({ channel_id: general.id, content_markdown: 'Done!' })
  const emoji = await root.emoji.set({ name: 'shipit', file: await picture() })
  await root.reactions.addToPost({ post_id: post.id, emoji: 'shipit' })
  await root.reactions.removeFromPost({ post_id: post.id, emoji: 'shipit' })
  await root.emoji.delete({ name: 'shipit' })
  const reaction = {
    subject_type: 'post',
    subject_id: post.id,
    emoji: 'shipit',
    emoji_url: emoji.url,
    author: author(root, 'Root Admin'),
  }
  return [
    ['post.created', post],
    ['emoji.created', emoji],
    ['reaction.added', { ...reaction, count: 1 }],
    ['reaction.removed', { ...reaction, count: 0 }],
    ['emoji.deleted', emoji],
  ]
}
