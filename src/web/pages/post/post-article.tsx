import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Post } from '../../../contract/posts'
import { usePermissions } from '../../data/me'
import { deletePost, updatePost } from '../../data/post-writing'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Content } from '../../parts/content'
import { copyLink } from '../../parts/copy-link'
import { useConfirm } from '../../parts/dialog'
import { Field } from '../../parts/field'
import { Menu } from '../../parts/menu'
import { Time } from '../../parts/time'
import { paths, sources } from '../../paths'
import { EditText } from './edit-text'
import { Person } from './post-details'

interface HeadProps {
  post: Post
  disabledReason: string | undefined
  edit(): void
  resolve(): void
}

/** Author, channel, time and actions of a post. */
export function PostHead({ post, disabledReason, edit, resolve }: HeadProps) {
  const [, navigate] = useLocation()
  const { changeDeniedReason } = usePermissions()
  const [dialog, confirm] = useConfirm()
  const editDeniedReason = disabledReason ?? changeDeniedReason(post.author)
  const remove = () => {
    navigate(paths.channel(post.channel.id), { replace: true })
    void deletePost(post)
  }
  return (
    <div className="post-head">
      {dialog}
      <p className="meta row">
        <Avatar of={post.author} size={24} />
        <span className="who">
          <Person of={post.author} />
        </span>
        <span>
          in <Link href={paths.channel(post.channel.id)}>{post.channel.name}</Link>
        </span>
        <Time at={post.created_at} />
      </p>
      <div className="row">
        {!post.resolution && (
          <Button icon="check" disabledReason={disabledReason} onClick={resolve}>
            Resolve
          </Button>
        )}
        <Menu
          label="Post actions"
          entries={[
            { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.post(post.id)) },
            { label: 'Edit', icon: 'edit', disabledReason: editDeniedReason, run: edit },
            {
              label: 'Delete',
              icon: 'trash',
              isDanger: true,
              disabledReason: editDeniedReason,
              run: () =>
                confirm({
                  title: 'Delete this post?',
                  text: 'Its comments are deleted too. This cannot be undone.',
                  label: 'Delete',
                  run: remove,
                }),
            },
          ]}
        />
      </div>
    </div>
  )
}

/** The content of a post, or its editor. */
export function PostArticle({ post, isEdited, close }: { post: Post; isEdited: boolean; close(): void }) {
  return isEdited ? (
    <EditPost post={post} close={close} />
  ) : (
    <article tabIndex={-1} aria-label="Post">
      <Content html={post.content} />
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
        hint="If empty, the first line of the text is used."
        onChange={(event) => setTitle(event.target.value)}
      />
    </EditText>
  )
}
