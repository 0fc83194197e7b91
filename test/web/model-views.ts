import type { Page } from 'playwright-core'
import { compareNames } from '../../src/contract/browser/natural-order'
import type { Comment } from '../../src/contract/comments'
import type { EmojiCount } from '../../src/contract/reactions'
import type { PostState } from '../../src/contract/unread'
import { getShortName } from '../../src/web/parts/short-name'
import type { Person } from '../world'

/**
 * What a view of the web app shows, line by line, as it can be read from the page and as the API says it should be. A line says
 * nothing of times, which depend on when it was read.
 */
export type Lines = string[]

const flags = (given: Record<string, boolean | undefined>) =>
  Object.entries(given)
    .filter(([, isSet]) => isSet)
    .map(([name]) => ` [${name}]`)
    .join('')

/** The text of HTML that was made of one paragraph of plain text. */
const toText = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()

/** Reads what is shown: the sidebar and the main part of the page. */
export const readPage = (page: Page): Promise<{ sidebar: Lines; main: Lines }> =>
  page.evaluate(() => {
    const all = (root: ParentNode, selector: string) => [...root.querySelectorAll<HTMLElement>(selector)]
    const one = (root: ParentNode, selector: string) => root.querySelector<HTMLElement>(selector)
    const text = (element: Element | null) => {
      if (!element) return ''
      const copy = element.cloneNode(true) as Element
      for (const each of copy.querySelectorAll('time, .avatar')) each.remove()
      return copy.textContent!.replace(/\s+/g, ' ').trim()
    }
    const has = (root: ParentNode, selector: string) => one(root, selector) !== null
    const flags = (given: Record<string, boolean>) =>
      Object.entries(given)
        .filter(([, isSet]) => isSet)
        .map(([name]) => ` [${name}]`)
        .join('')
    const reactions = (root: ParentNode) =>
      all(root, ':scope .reaction[aria-pressed]')
        .map(
          (chip) =>
            ` ${text(one(chip, '.emoji-text'))}×${text(one(chip, '.count'))}${chip.ariaPressed === 'true' ? ' own' : ''}`,
        )
        .sort()
        .join('')

    const sidebar = all(document, 'nav[aria-label=Sidebar] a[href]').flatMap((link) => {
      const path = link.getAttribute('href')!
      if (!/^\/(inbox|threads|channels\/chan_.*|threads\/thr_.*)$/.test(path)) return []
      const label = text(one(link, '.sidebar-label'))
      return `${path} ${label} ${text(link).replace(label, '').replace('Draft', '').trim()}`.trim()
    })

    const row = (item: HTMLElement) =>
      `${item.id} “${text(one(item, 'h2'))}”${flags({
        unread: has(item, '[aria-label=Unread]'),
        resolved: has(item, '.badge.good'),
      })} ${text(one(item, '.comment-count .count')) || 0} comments ${text(one(item, '.latest'))}`.trim()

    const comment = (item: HTMLElement, indent: string): string[] => {
      const article = one(item, ':scope > article')!
      const replies = all(item, ':scope > .replies > ol > li.comment').flatMap((reply) => comment(reply, '  ↳ '))
      if (article.ariaLabel === 'Deleted comment') return [`${indent}${item.id} deleted`, ...replies]
      return [
        `${indent}${item.id} ${text(one(article, '.who'))}: ${text(one(article, '.content'))}${flags({
          edited: has(article, '.edited'),
          answer: has(article, 'header .tag.good'),
        })}${reactions(article)}`,
        ...replies,
      ]
    }

    const post = (): string[] => {
      const resolution = one(document, 'main .resolution')
      const article = one(document, 'main article[aria-label=Post]')
      // It can be read until the page is left.
      if (/This post was deleted/.test(text(one(document, '.post-body > [role=status]')))) return ['Not found']
      if (!article) return [text(one(document, 'main h1'))]
      const bar = one(document, '.post-body > .reactions')
      return [
        `“${text(one(document, 'main h1'))}”${flags({ edited: has(document, 'main .byline .edited') })}`,
        `channel ${text(one(document, 'main .post-channel'))}`,
        `text ${text(article)}`,
        resolution
          ? `resolved by ${text(one(resolution, '.who'))}: ${all(resolution, ':scope > .content').map(text)} ${all(resolution, 'figure .content').map(text)}`.trim()
          : 'open',
        `level ${text(one(document, 'main .post-top button.follow')).replace('Notifications: ', '')}`,
        text(one(document, '#comments')).replace(/^Comments$/, '0 comments'),
        `reactions${bar ? reactions(bar) : ''}`,
        ...all(document, '.comments > ol > li.comment').flatMap((item) => comment(item, '')),
      ]
    }

    const feed = () => [
      `heading ${text(one(document, 'main h1'))}`,
      ...all(document, 'main .pins li a').map((link) => `pin ${text(link)}`),
      ...all(document, 'main li.post-row').map(row),
    ]
    const inbox = () =>
      all(document, 'main li[id^=inb_]').map((item) =>
        `${item.id} ${text(one(item, '.inbox-sentence b'))} “${text(one(item, '.inbox-excerpt')).replace(/^“|”$/g, '')}”${flags(
          { unread: has(item, '[aria-label=Unread]') },
        )} ${/· (\d+) new/.exec(text(one(item, '.inbox-location')))?.[1] ?? ''}`.trim(),
      )
    const threads = () => [
      ...all(document, 'ol[aria-label=Threads] > li').map(
        (item) =>
          `${item.id} ${text(one(item, '.thread-title b'))}${flags({
            unread: has(item, '[aria-label=Unread]'),
          })} ${text(one(item, '.thread-last'))}`,
      ),
      ...all(document, 'li.message').map(
        (item) =>
          `${item.id} ${text(one(item, '.message-body .content'))}${flags({
            edited: /edited/.test(text(one(item, '.message-body > .meta'))),
            reply: has(item, '.quote'),
          })}${reactions(item)}`,
      ),
    ]
    const { pathname } = location
    const isLoading =
      all(document, 'main [role=status]').some((status) => text(status).startsWith('Loading')) ||
      (has(document, 'main .comments') && !has(document, '.comments > ol > li, .comments > p, .comments > .problem'))
    if (isLoading) return { sidebar, main: ['loading'] }
    const main = /^\/posts\/post_/.test(pathname)
      ? post()
      : pathname === '/inbox'
        ? inbox()
        : pathname.startsWith('/threads')
          ? threads()
          : feed()
    return { sidebar, main }
  })

const countOf = (count: number | undefined) => (count ? ` ${count} unread` : '')

const MAX_DIRECT = 4

/** The sidebar has the channels that the member is in, and the latest direct messages. */
export async function expectedSidebar(who: Person): Promise<Lines> {
  const [unread, { data: channels }, { data: threads }] = await Promise.all([
    who.unread.get(),
    who.channels.list({ joined: true }),
    who.threads.list(),
  ])
  const ofChannel = (id: string) => unread.channels.find((one) => one.id === id)
  const inThreads = unread.threads.reduce(
    (sum, { level, unread_count }) => sum + (level === 'none' ? 0 : unread_count),
    0,
  )
  const ofThread = (id: string) =>
    unread.threads.find((thread) => thread.id === id && thread.level !== 'none')?.unread_count
  return [
    `/inbox Inbox${countOf(unread.inbox_count)}`,
    `/threads Threads${countOf(inThreads)}`,
    ...channels
      .toSorted((one, other) => compareNames(one.name, other.name))
      .map(({ id, name }) => {
        const isMuted = ofChannel(id)?.level === 'none'
        return `/channels/${id} ${name}${isMuted ? ' muted' : ''}${countOf(ofChannel(id)?.unread_count)}`
      }),
    ...threads
      .filter(({ is_direct }) => is_direct)
      .slice(0, MAX_DIRECT)
      .map(
        ({ id, members }) =>
          `/threads/${id} ${members.find((member) => member.id !== who.id)?.name}${countOf(ofThread(id))}`,
      ),
  ]
}

/** What a path shows to a member. */
export async function expectedMain(who: Person, path: string): Promise<Lines> {
  const url = new URL(path, 'http://parley')
  const id = url.pathname.split('/')[2]
  if (url.pathname.startsWith('/posts/')) return expectedPost(who, id!)
  if (url.pathname === '/inbox') return expectedInbox(who, url.searchParams.get('tab') ?? 'all')
  if (url.pathname.startsWith('/threads')) return expectedThreads(who, id)
  return expectedFeed(who, url, id)
}

async function expectedFeed(who: Person, url: URL, channelId: string | undefined): Promise<Lines> {
  if (url.pathname === '/saved') {
    const { data } = await who.saved.list()
    return [
      'heading Saved',
      ...(await toRows(
        who,
        data.map(({ post }) => post),
      )),
    ]
  }
  const resolved = url.searchParams.get('resolved')
  const channel = channelId && (await who.channels.get({ id: channelId }).catch(() => undefined))
  if (channelId && !channel) return ['heading Not found']
  const { data } = await who.posts.list({
    ...(channelId && { channel_id: channelId }),
    ...(resolved && { resolved: resolved === 'true' }),
    sort: url.searchParams.get('sort') === 'activity' ? 'last_activity_at' : 'published_at',
  })
  const pins = channelId ? (await who.pins.list({ channel_id: channelId })).data : []
  return [
    `heading ${channel ? channel.name : resolved === 'false' ? 'Open posts' : resolved ? 'Resolved posts' : 'Posts'}`,
    ...pins.slice(0, 3).map(({ post }) => `pin ${post.title}`),
    ...(await toRows(who, data)),
  ]
}

type Row = { id: string; title: string; resolution: object | null; comments_count: number }

async function toRows(who: Person, posts: Row[]): Promise<Lines> {
  if (posts.length === 0) return []
  const states = new Map<string, PostState>()
  for (const state of (await who.unread.posts({ ids: posts.map(({ id }) => id) })).data)
    states.set(state.post_id, state)
  return posts.map(({ id, title, resolution, comments_count }) => {
    const { is_unread, latest_comment } = states.get(id)!
    const latest = latest_comment ? `${getShortName(latest_comment.author)} ${latest_comment.excerpt}` : ''
    return `${id} “${title}”${flags({ unread: is_unread, resolved: resolution !== null })} ${comments_count} comments ${latest}`.trim()
  })
}

const levels = { all: 'Following', mentions: 'Mentions only', none: 'Muted' }

async function expectedPost(who: Person, id: string): Promise<Lines> {
  const post = await who.posts.get({ id }).catch(() => undefined)
  if (!post) return ['Not found']
  const { data: comments } = await who.comments.list({ post_id: id })
  const ids = [id, ...comments.map((comment) => comment.id)]
  const [reactions, edits, states] = await Promise.all([
    reactionsOf(who, ids),
    who.edits.list({ ids }),
    who.unread.posts({ ids: [id] }),
  ])
  const edited = new Set(edits.data.filter(({ edited_at }) => edited_at).map((edit) => edit.id))
  const answerId = post.resolution?.resolved_comment?.id
  const line = (comment: Comment) =>
    comment.content === ''
      ? `${comment.id} deleted`
      : `${comment.id} ${comment.author.name}: ${toText(comment.content)}${flags({
          edited: edited.has(comment.id),
          answer: comment.id === answerId,
        })}${reactions(comment.id)}`
  const { resolution } = post
  return [
    `“${post.title}”${flags({ edited: edited.has(id) })}`,
    `channel #${post.channel.name}`,
    `text ${toText(post.content)}`,
    resolution
      ? `resolved by ${resolution.resolved_by.name}: ${toText(resolution.resolved_html ?? '')} ${toText(resolution.resolved_comment?.content ?? '')}`.trim()
      : 'open',
    `level ${levels[states.data[0]!.level]}`,
    `${post.comments_count} comment${post.comments_count === 1 ? '' : 's'}`,
    `reactions${reactions(id)}`,
    ...comments
      .filter(({ parent_id }) => parent_id === null)
      .flatMap((top) => [
        line(top),
        ...comments.filter(({ parent_id }) => parent_id === top.id).map((reply) => `  ↳ ${line(reply)}`),
      ]),
  ]
}

async function reactionsOf(who: Person, ids: string[]) {
  const all = new Map<string, EmojiCount[]>()
  for (const { subject_id, reactions } of (await who.reactions.list({ ids })).data) all.set(subject_id, reactions)
  return (id: string) =>
    (all.get(id) ?? [])
      .map(({ emoji, count, has_reacted }) => ` ${emoji}×${count}${has_reacted ? ' own' : ''}`)
      .sort()
      .join('')
}

async function expectedInbox(who: Person, tab: string): Promise<Lines> {
  const filters: Record<string, Parameters<Person['inbox']['list']>[0]> = {
    all: {},
    unread: { unread: true },
    mentions: { about: ['mention'] },
    archived: { archived: true },
  }
  const { data } = await who.inbox.list(filters[tab]!)
  return data.map(({ id, actor, about, excerpt, is_unread, new_count }) =>
    `${id} ${actor?.name ?? 'System'} “${about === 'added' ? '' : excerpt}”${flags({ unread: is_unread })} ${new_count > 1 ? new_count : ''}`.trim(),
  )
}

async function expectedThreads(who: Person, openId: string | undefined): Promise<Lines> {
  const { data: threads } = await who.threads.list()
  const ids = threads.map(({ id }) => id)
  const states = ids.length > 0 ? (await who.unread.threads({ ids })).data : []
  const lines = threads.map(({ id, title, is_direct, members, messages_count }) => {
    const { is_unread, last_message } = states.find(({ thread_id }) => thread_id === id)!
    const shownTitle = is_direct ? members.find((member) => member.id !== who.id)?.name : title
    const speaker =
      last_message?.author.id === who.id
        ? 'You: '
        : is_direct || !last_message
          ? ''
          : `${getShortName(last_message.author)}: `
    const last = last_message
      ? speaker + last_message.excerpt
      : `${messages_count} message${messages_count === 1 ? '' : 's'}`
    return `${id} ${shownTitle}${flags({ unread: is_unread })} ${last}`
  })
  if (!openId || !ids.includes(openId)) return lines
  const { data: messages } = await who.messages.list({ thread_id: openId })
  const reactions = await reactionsOf(who, [openId.replace('thr_', 'msg_'), ...messages.map(({ id }) => id)])
  return [
    ...lines,
    ...messages
      .toReversed()
      .map(
        ({ id, content, created_at, updated_at, parent_id }) =>
          `${id} ${toText(content)}${flags({ edited: updated_at > created_at, reply: parent_id !== null })}${reactions(id)}`,
      ),
  ]
}

/** What differs, in words; nothing if there is no difference. */
export function describeDifference(shown: Lines, expected: Lines): string[] {
  const without = (lines: Lines, others: Lines) => {
    const left = [...others]
    return lines.filter((line) => {
      const at = left.indexOf(line)
      if (at >= 0) left.splice(at, 1)
      return at < 0
    })
  }
  const extra = without(shown, expected).map((line) => `    shown, but should not be: ${line}`)
  const missing = without(expected, shown).map((line) => `    not shown:                ${line}`)
  const at = shown.findIndex((line, index) => line !== expected[index])
  if (at < 0 || extra.length + missing.length > 0) return [...extra, ...missing]
  return [`    shown in another order, from line ${at + 1}: ${shown[at]}`, `    instead of: ${expected[at]}`]
}
