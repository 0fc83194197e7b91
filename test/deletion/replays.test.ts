import { describe, expect, test } from 'bun:test'
import type { Post } from '../../src/contract/posts'
import { json, problem } from '../http/wire'
import { type World, world } from '../world'
import { columnsHolding, newSecret } from './secrets'

type Made = { id: string }

async function stage() {
  const cast = await world()
  const { ada, bob, general } = cast
  const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  const thread = await ada.threads.create({ member_ids: [bob.id] })
  return { ...cast, post, thread }
}

type Stage = Awaited<ReturnType<typeof stage>>

/** Every POST whose answer shows content: where it is sent, and how what it made is deleted. */
const writes: Record<string, { path(stage: Stage): string; body?(stage: Stage): object; remove: Remove }> = {
  'a post': {
    path: () => '/v2/posts',
    body: ({ general }) => ({ channel_id: general.id }),
    remove: ({ ada }, { id }) => ada.posts.delete({ id }),
  },
  'a comment': {
    path: ({ post }) => `/v2/posts/${post.id}/comments`,
    remove: ({ ada }, { id }) => ada.comments.delete({ id }),
  },
  'a comment, deleted with its post': {
    path: ({ post }) => `/v2/posts/${post.id}/comments`,
    remove: ({ ada, post }) => ada.posts.delete({ id: post.id }),
  },
  'a resolution, deleted with its post': {
    path: ({ post }) => `/v2/posts/${post.id}/resolution`,
    remove: ({ ada, post }) => ada.posts.delete({ id: post.id }),
  },
  'a message': {
    path: ({ thread }) => `/v2/threads/${thread.id}/messages`,
    remove: ({ ada }, { id }) => ada.messages.delete({ id }),
  },
  'a direct message': {
    path: ({ bob }) => `/v2/members/${bob.id}/messages`,
    remove: ({ ada }, { id }) => ada.messages.delete({ id }),
  },
}
type Remove = (stage: Stage, made: Made) => Promise<unknown>

const send = ({ raw, ada }: World, path: string, body: object) =>
  raw(ada, path, json(body, { 'Idempotency-Key': 'once' }))

describe('a response that is stored for replays', () => {
  for (const [name, { path, body, remove }] of Object.entries(writes))
    test(`is gone with ${name}, and it is not done again`, async () => {
      const cast = await stage()
      const secret = newSecret()
      const again = () => send(cast, path(cast), { content_markdown: secret, ...body?.(cast) })
      const first = await again()
      const made = (await first.json()) as Made
      expect(await (await again()).json()).toEqual(made)
      expect(await columnsHolding(cast.server, { secrets: [secret] })).toContain('idempotency_keys.answer')

      await remove(cast, made)
      const events = await cast.events()
      const { detail } = await problem(await again(), 'not_found')
      expect(detail).toContain('deleted')
      expect(await cast.events()).toEqual(events)
      expect(await columnsHolding(cast.server, { secrets: [secret] })).toEqual([])
    })

  test('of a resolution loses only the deleted comment', async () => {
    const cast = await stage()
    const { ada, post } = cast
    const secret = newSecret()
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: secret })
    const again = () =>
      send(cast, `/v2/posts/${post.id}/resolution`, { comment_id: comment.id, content_markdown: 'So be it' })
    const resolved = (await (await again()).json()) as Post
    expect(resolved.resolution!.resolved_comment).toMatchObject({ id: comment.id })
    await ada.comments.delete({ id: comment.id })
    expect(await (await again()).json()).toEqual({
      ...resolved,
      resolution: { ...resolved.resolution, resolved_comment: null },
    })
    expect(await columnsHolding(cast.server, { secrets: [secret] })).toEqual([])
  })

  test('of other records is unchanged', async () => {
    const cast = await stage()
    const kept = { channel_id: cast.general.id, content_markdown: 'Kept' }
    const first = await send(cast, '/v2/posts', kept)
    await cast.ada.posts.delete({ id: cast.post.id })
    const second = await send(cast, '/v2/posts', kept)
    expect([second.status, await second.json()]).toEqual([201, await first.json()])
  })
})
