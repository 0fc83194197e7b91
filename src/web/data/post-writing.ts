import type { Post } from '../../contract/posts'
import { notifyProblem } from '../parts/notices'
import { parley } from './parley'
import { dropPost, putPost } from './posts'

const toTitle = (title: string) => title.trim() && { title: title.trim() }

export async function publishPost(channel_id: string, title: string, content_markdown: string, idempotencyKey: string) {
  const post = await parley.posts.create({ channel_id, content_markdown, ...toTitle(title) }, { idempotencyKey })
  putPost(post)
  return post
}

export async function updatePost({ id }: Post, title: string, content_markdown: string) {
  putPost(await parley.posts.update({ id, content_markdown, title: title.trim() }))
}

/** Deletes a post: hidden at once, shown again if the request fails. */
export async function deletePost(post: Post) {
  dropPost(post.id)
  try {
    await parley.posts.delete({ id: post.id })
  } catch (error) {
    putPost(post)
    notifyProblem("Couldn't delete the post.", error)
  }
}
