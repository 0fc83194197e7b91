import type { Server } from './servers'

export const WRITES_A_SECOND = 50
const MESSAGES = 2_000

const send = (server: Server, token: string, path: string, body: object) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Comments on a post, so many a second, until it is stopped. */
export function startWriting(server: Server, token: string, postId: string): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    last = send(server, token, `/v2/posts/${postId}/comments`, { content_markdown: 'Meanwhile' })
  }, 1_000 / WRITES_A_SECOND)
  return async () => {
    clearInterval(timer)
    await last
  }
}

/** The address of the messages of a thread that has many. */
export async function longThread(server: Server, token: string): Promise<string> {
  const ask = async (path: string) =>
    (await (
      await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { Authorization: `Bearer ${token}` } })
    ).json()) as { data: { id: string }[]; total_count: number }
  const known = (await ask('/v2/threads')).data[0]
  if (known) return `/v2/threads/${known.id}/messages`

  const [member] = (await ask('/v2/members?limit=1')).data
  const thread = (await (await send(server, token, '/v2/threads', { member_ids: [member!.id] })).json()) as {
    id: string
  }
  const path = `/v2/threads/${thread.id}/messages`
  for (let number = 0; number < MESSAGES; number += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        send(server, token, path, { content_markdown: `Message ${number + at} of **many**, about nothing much.` }),
      ),
    )
  return path
}

export async function getEtag({ port }: Server, token: string, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${token}` } })
  return answer.headers.get('etag')!
}
