import { useQuery } from '@tanstack/react-query'
import { ParleyError } from '../../client'
import type { ProblemBody } from '../../contract/errors'
import type { Post } from '../../contract/posts'
import { notifyProblem } from '../parts/notices'
import { learnNames } from './mentions'
import { parley } from './parley'
import { dropPost, putPost } from './posts'
import { signedFetch } from './session'

/** What Markdown will look like, as the server makes it. */
export const usePreview = (markdown: string) =>
  useQuery({
    queryKey: ['preview', markdown],
    queryFn: async () => (await parley.markdown.render({ content_markdown: markdown })).content,
    enabled: markdown.trim() !== '',
    gcTime: 0,
  })

/** The Markdown of a post, comment or message, by its path in `sources`. */
export const useSource = (path: string, html: string) =>
  useQuery({
    queryKey: ['source', path],
    queryFn: async () => {
      const markdown = await sourceOf(path)
      learnNames(markdown, html)
      return markdown
    },
    staleTime: 0,
    gcTime: 0,
    // While one changes it, it stays what it was when one began.
    refetchOnMount: 'always',
    refetchOnReconnect: false,
  })

export async function sourceOf(path: string): Promise<string> {
  const response = await signedFetch(path, { headers: { Accept: 'text/markdown' } })
  if (response.ok) return response.text()
  throw new ParleyError((await response.json()) as ProblemBody, response.headers)
}

const titled = (title: string) => title.trim() && { title: title.trim() }

export async function publish(channel_id: string, title: string, content_markdown: string, idempotencyKey: string) {
  const post = await parley.posts.create({ channel_id, content_markdown, ...titled(title) }, { idempotencyKey })
  putPost(post)
  return post
}

export async function changePostText({ id }: Post, title: string, content_markdown: string) {
  putPost(await parley.posts.update({ id, content_markdown, title: title.trim() }))
}

/** Deletes a post; it is gone at once, and back if the server says no. */
export async function deletePost(post: Post) {
  dropPost(post.id)
  try {
    await parley.posts.delete({ id: post.id })
  } catch (error) {
    putPost(post)
    notifyProblem('The post was not deleted.', error)
  }
}
