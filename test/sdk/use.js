import { NotFoundError, Parley, unwrapWebhook } from 'parley-client'

/** A bit of everything, in whatever runtime this is. `webhook` is one that the server sent. */
export async function use({ baseUrl, token, channelId, name, webhook }) {
  const parley = new Parley({ baseUrl, token })
  const start = await parley.events.list({ after: 'now' })
  const post = await parley.posts.create({ channel_id: channelId, title: name, content_markdown: 'Hello' })
  for (const content_markdown of ['1', '2', '3']) await parley.comments.create({ post_id: post.id, content_markdown })

  const comments = []
  for await (const { content } of parley.comments.list({ post_id: post.id, limit: 2 })) comments.push(content)

  const events = []
  for await (const { type } of parley.events.stream({ after: start.next_cursor, types: ['comment.created'] }))
    if (events.push(type) === 3) break

  const error = await parley.posts.get({ id: 'post_unknown' }).catch((thrown) => thrown)
  const forged = await unwrapWebhook(webhook.body, webhook.headers, 'whsec_AAAA').catch((thrown) => thrown)
  const { data, response } = await parley.me.get().withResponse()
  return {
    title: post.title,
    comments,
    events,
    isNotFound: error instanceof NotFoundError,
    error: [error.name, error.status, error.code, typeof error.requestId],
    forged: forged.name,
    unwrapped: (await unwrapWebhook(webhook.body, webhook.headers, webhook.secret)).type,
    author: data.author.name,
    hasRequestId: response.headers.has('X-Request-Id'),
  }
}
