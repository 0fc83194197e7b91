import { useState } from 'react'
import type { Post } from '../../../contract/posts'
import { type Check, checkPost, countCheckBoxes } from '../../data/checklists'
import { usePermissions } from '../../data/me'
import { updatePost } from '../../data/post-writing'
import { Content } from '../../parts/content'
import { Field } from '../../parts/field'
import { withoutTitle } from '../../parts/html-text'
import { sources } from '../../paths'
import { EditText } from './edit-text'

/** The content of a post, or its editor. */
export function PostArticle({ post, isEditing, close }: { post: Post; isEditing: boolean; close(): void }) {
  const { changeDeniedReason } = usePermissions()
  const html = withoutTitle(post)
  const canCheck = countCheckBoxes(html) > 0 && changeDeniedReason(post.author) === undefined
  // The title may have been the first item.
  const hidden = countCheckBoxes(post.content) - countCheckBoxes(html)
  const toWhole = (check: Check) => ({ ...check, item: check.item + hidden })
  return isEditing ? (
    <EditPost post={post} close={close} />
  ) : (
    <article tabIndex={-1} aria-label="Post">
      <Content html={html} onCheck={canCheck ? (check) => void checkPost(post, toWhole(check)) : undefined} />
    </article>
  )
}

function EditPost({ post, close }: { post: Post; close(): void }) {
  const [title, setTitle] = useState(post.title)
  return (
    <EditText
      id={post.id}
      source={sources.post(post.id)}
      html={post.content}
      label="Text"
      close={close}
      save={(markdown) => updatePost(post, title, markdown)}
    >
      <Field
        label="Title"
        value={title}
        maxLength={200}
        hint="Leave it empty to use the first line of the text."
        onChange={(event) => setTitle(event.target.value)}
      />
    </EditText>
  )
}
