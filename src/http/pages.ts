import type { OperationName } from '../contract'
import type { Author } from '../contract/authors'
import type { Comment } from '../contract/comments'
import { errors, Problem } from '../contract/errors'
import type { Me } from '../contract/me'
import type { Member } from '../contract/members'
import type { Message } from '../contract/messages'
import type { Page } from '../contract/page'
import type { Post } from '../contract/posts'
import type { Thread } from '../contract/threads'
import { call } from '../gate/call'
import type { Parley } from '../gate/parley'
import { Html, html, ICON } from './html'

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self' https: http:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
}

/** A whole page. */
export const page = (
  title: string,
  body: Html,
  options: { status?: number; header?: Html; headers?: Record<string, string> } = {},
) =>
  new Response(
    html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Parley</title>
<link rel="icon" href="${ICON}" type="image/svg+xml">
<link rel="stylesheet" href="/plain.css">
<header><a class="name" href="/">Parley</a><nav>${options.header ?? html`<a href="/docs">API reference</a>`}</nav></header>
<main>${body}</main>
</html>`.text,
    { status: options.status ?? 200, headers: { ...HEADERS, ...options.headers } },
  )

type Session = string | undefined

/** What an operation answers to the person whose session this is. */
async function ask<T>(
  parley: Parley,
  session: Session,
  name: OperationName,
  params: Record<string, string> = {},
  query = '',
): Promise<T> {
  const answer = await call(parley, {
    name,
    token: session,
    url: `${name}?${JSON.stringify(params)}${query}`,
    params,
    query: new URLSearchParams(query),
    readBody: async () => undefined,
  })
  return JSON.parse(String(answer.body)) as T
}

/** A page for whoever is signed in; for others, how to. */
async function signedIn(
  parley: Parley,
  session: Session,
  show: (header: Html) => Promise<Response>,
): Promise<Response> {
  try {
    const me = await ask<Me>(parley, session, 'me.get')
    return await show(
      html`<span>${me.author.name} in ${me.workspace.name}</span><a href="/docs">API reference</a><form class="inline" method="post" action="/sign-out"><button>Sign out</button></form>`,
    )
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'unauthenticated') return signInNeeded()
    return page(errors[error.code].title, html`<h1>${errors[error.code].title}</h1><p>${error.detail}</p>`, {
      status: error.status,
    })
  }
}

const signInNeeded = () =>
  page(
    'Sign in',
    html`<h1>Sign in to read this</h1>
<p>Open the sign-in link you were given. An admin makes one with <code>parley member link</code>; the first start of the server prints one.</p>
<p>Programs use the <a href="/docs">API</a> with an access token.</p>`,
    { status: 401 },
  )

export const home = (parley: Parley, session: Session, after: string | null) =>
  signedIn(parley, session, async (header) => {
    const query = after ? `${new URLSearchParams({ after })}` : ''
    const posts = await ask<Page<Post>>(parley, session, 'posts.list', {}, query)
    const body = html`<h1>Posts</h1>
<p class="meta">${posts.total_count} in all</p>
<ul class="posts">${posts.data.map(postRow)}</ul>
${neighbours(posts)}`
    return page('Posts', body, { header })
  })

const postRow = (post: Post) => html`<li${post.resolution ? html` class="resolved"` : undefined}>
<p class="meta">${avatar(post.author)}${post.author.name} in ${post.channel.name} · ${day(post.created_at)}</p>
<h2><a href="/posts/${post.id}">${post.title}</a></h2>
<p class="meta">${counted(post.comments_count, 'comment')}${post.resolution ? html` · <span class="good">✓ resolved</span>` : undefined}</p></li>`

/** The newer and the older page of a list that shows the newest first. */
const neighbours = ({ prev_cursor, next_cursor }: Page<unknown>) => html`<nav class="pages">
${prev_cursor ? html`<a rel="prev" href="?${new URLSearchParams({ after: prev_cursor }).toString()}">← Newer</a>` : undefined}
${next_cursor ? html`<a rel="next" href="?${new URLSearchParams({ after: next_cursor }).toString()}">Older →</a>` : undefined}
</nav>`

export const postPage = (parley: Parley, session: Session, id: string, after: string | null) =>
  signedIn(parley, session, async (header) => {
    const post = await ask<Post>(parley, session, 'posts.get', { id })
    const query = after ? `${new URLSearchParams({ after })}` : ''
    const comments = await ask<Page<Comment>>(parley, session, 'comments.list', { post_id: id }, query)
    return page(post.title, postBody(post, comments), { header })
  })

const postBody = (post: Post, comments: Page<Comment>) => html`<article>
<p class="meta">${avatar(post.author)}${post.author.name} in ${post.channel.name} · ${when(post.created_at)}</p>
<h1>${post.title}</h1>
${post.resolution ? resolutionBody(post.resolution) : undefined}
<div class="content">${new Html(post.content)}</div>
</article>
<section><h2>${counted(comments.total_count, 'comment')}</h2>
${comments.data.map(commentBody)}
<nav class="pages">
${comments.prev_cursor ? html`<a rel="prev" href="?${new URLSearchParams({ after: comments.prev_cursor }).toString()}">← Earlier</a>` : undefined}
${comments.next_cursor ? html`<a rel="next" href="?${new URLSearchParams({ after: comments.next_cursor }).toString()}">Later →</a>` : undefined}
</nav></section>`

const commentBody = (
  comment: Comment,
) => html`<div class="comment${comment.parent_id ? ' reply' : ''}" id="${comment.id}">
<p class="meta">${avatar(comment.author)}${comment.author.name} · ${when(comment.created_at)}</p>
<div class="content">${comment.content ? new Html(comment.content) : html`<p class="meta">This comment was deleted.</p>`}</div></div>`

const resolutionBody = (resolution: NonNullable<Post['resolution']>) => html`<div class="resolution">
<p class="meta"><span class="good">✓ Resolved</span> by ${resolution.resolved_by.name} · ${when(resolution.resolved_at)}</p>
<div class="content">${new Html(resolution.resolved_html ?? '')}${new Html(resolution.resolved_comment?.content ?? '')}</div></div>`

const avatar = ({ avatar_urls }: Author) =>
  html`<img class="avatar" src="${avatar_urls.sm}" width="24" height="24" alt="">`
const day = (timestamp: string) => html`<time datetime="${timestamp}">${timestamp.slice(0, 10)}</time>`
const when = (timestamp: string) =>
  html`<time datetime="${timestamp}">${timestamp.slice(0, 16).replace('T', ' ')} UTC</time>`
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

export const threadPage = (parley: Parley, session: Session, id: string, after: string | null) =>
  signedIn(parley, session, async (header) => {
    const thread = await ask<Thread>(parley, session, 'threads.get', { id })
    const query = after ? `${new URLSearchParams({ after })}` : ''
    const messages = await ask<Page<Message>>(parley, session, 'messages.list', { thread_id: id }, query)
    return page(thread.title, threadBody(thread, messages), { header })
  })

const threadBody = (thread: Thread, messages: Page<Message>) => html`<h1>${thread.title}</h1>
<p class="meta">${thread.members.map(({ name }) => name).join(', ')} · ${counted(thread.messages_count, 'message')}</p>
${messages.data.toReversed().map(
  (message) => html`<div class="comment" id="${message.id}">
<p class="meta">${avatar(message.author)}${message.author.name} · ${when(message.created_at)}</p>
<div class="content">${new Html(message.content)}</div></div>`,
)}
${neighbours(messages)}`

export const memberPage = (parley: Parley, session: Session, id: string) =>
  signedIn(parley, session, async (header) => {
    const { user, role, is_deactivated } = await ask<Member>(parley, session, 'members.get', { id })
    const body = html`<h1>${user.display_name}</h1>
<p class="meta">${role}${is_deactivated ? ', deactivated' : ''} · <a href="mailto:${user.email}">${user.email}</a></p>`
    return page(user.display_name, body, { header })
  })

/** What each error code means: where the `type` of a problem points. */
export const errorsPage = () =>
  page(
    'Errors',
    html`<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457) with one of these codes.</p>
<div class="wide"><table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>${Object.entries(
      errors,
    ).map(
      ([code, { status, title }]) =>
        html`<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}.</td></tr>`,
    )}</tbody></table></div>`,
  )
