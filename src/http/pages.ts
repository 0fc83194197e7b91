import type { OperationName } from '../contract'
import type { Comment } from '../contract/comments'
import { errors, Problem } from '../contract/errors'
import type { Me } from '../contract/me'
import type { Page } from '../contract/page'
import type { Post } from '../contract/posts'
import { call } from '../gate/call'
import type { Parley } from '../gate/parley'
import { Html, html } from './html'

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
<title>${title} · Parley</title>
<link rel="stylesheet" href="/plain.css">
<header><a href="/">Parley</a><span>${options.header ?? html`<a href="/docs">API reference</a>`}</span></header>
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
  return JSON.parse(answer.body!) as T
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
      html`${me.author.name} · ${me.workspace.name} · <a href="/docs">API reference</a> · <form class="inline" method="post" action="/sign-out"><button>Sign out</button></form>`,
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

export const home = (parley: Parley, session: Session) =>
  signedIn(parley, session, async (header) => {
    const { data, total_count } = await ask<Page<Post>>(parley, session, 'posts.list')
    const rows = data.map(
      (post) => html`<li><a href="/posts/${post.id}">${post.title}</a>
<div class="meta">${post.author.name} in ${post.channel.name} · ${post.created_at.slice(0, 10)} · ${post.comments_count} comments${post.resolution ? ' · resolved' : ''}</div></li>`,
    )
    return page('Posts', html`<h1>Posts</h1><p class="meta">${total_count} in all</p><ul class="posts">${rows}</ul>`, {
      header,
    })
  })

export const postPage = (parley: Parley, session: Session, id: string) =>
  signedIn(parley, session, async (header) => {
    const post = await ask<Post>(parley, session, 'posts.get', { id })
    const comments = await ask<Page<Comment>>(parley, session, 'comments.list', { post_id: id })
    return page(post.title, postBody(post, comments), { header })
  })

const postBody = (post: Post, comments: Page<Comment>) => html`<article>
<h1>${post.title}</h1>
<p class="meta">${post.author.name} in ${post.channel.name} · <time datetime="${post.created_at}">${post.created_at.slice(0, 16).replace('T', ' ')} UTC</time></p>
${post.resolution ? resolutionBody(post.resolution) : undefined}
${new Html(post.content)}
</article>
<section><p class="meta">${comments.total_count} comments</p>
${comments.data.map(
  (comment) => html`<div class="comment${comment.parent_id ? ' reply' : ''}" id="${comment.id}">
<p class="meta">${comment.author.name} · <time datetime="${comment.created_at}">${comment.created_at.slice(0, 16).replace('T', ' ')} UTC</time></p>
${new Html(comment.content)}</div>`,
)}</section>`

const resolutionBody = (resolution: NonNullable<Post['resolution']>) => html`<div class="resolution">
<p class="meta">Resolved by ${resolution.resolved_by.name}</p>
${new Html(resolution.resolved_html ?? resolution.resolved_comment?.content ?? '')}</div>`

/** What each error code means: where the `type` of a problem points. */
export const errorsPage = () =>
  page(
    'Errors',
    html`<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457) with one of these codes.</p>
<table><thead><tr><th>code</th><th>status</th><th>meaning</th></tr></thead><tbody>${Object.entries(errors).map(
      ([code, { status, title }]) =>
        html`<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}.</td></tr>`,
    )}</tbody></table>`,
  )
