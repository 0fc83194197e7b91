import { ParleyError } from '../../client'
import type { ProblemBody } from '../../contract/errors'
import { signedFetch } from './session'

async function answerOf(response: Response): Promise<Response> {
  if (response.ok) return response
  throw new ParleyError((await response.json()) as ProblemBody, response.headers)
}

/** What Markdown will look like, as the server makes it. */
export async function preview(markdown: string): Promise<string> {
  const response = await signedFetch('/v2/markdown', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ content_markdown: markdown }),
  })
  return ((await (await answerOf(response)).json()) as { content: string }).content
}

/** A post or a comment as it was written: `posts/post_…`, `comments/cmt_…`. */
export async function sourceOf(path: string): Promise<string> {
  return (await answerOf(await signedFetch(`/v2/${path}`, { headers: { Accept: 'text/markdown' } }))).text()
}
