import { type ReactNode, useState } from 'react'
import type { Post } from '../../../contract/posts'
import { UnsavedChanges } from '../../composer/action-row'
import { Composer } from '../../composer/composer'
import { type AudiencePlace, channelPlace } from '../../data/audience'
import { draftKeys, readDraft, saveDraft } from '../../data/drafts'
import { useSource } from '../../data/markdown'
import { updatePost } from '../../data/posts'
import { withoutTitle } from '../../parts/html-text'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { sources } from '../../paths'
import { PostWriter } from './post-writer'

interface SourceProps {
  /** The path of the Markdown of a record. */
  path: string
  html: string
  children(markdown: string): ReactNode
}

/** Loads the Markdown that is edited. */
function Source({ path, html, children }: SourceProps) {
  const source = useSource(path, html)
  if (source.error) return <ProblemNote error={source.error} retry={() => void source.refetch()} />
  if (source.data === undefined)
    return (
      <Loading what="the text">
        <Skeleton height={96} />
      </Loading>
    )
  return children(source.data)
}

interface Props {
  /** The record being edited, and the path of its Markdown. */
  id: string
  source: string
  html: string
  label: string
  audience: AudiencePlace
  save(markdown: string): Promise<unknown>
  close(): void
}

/** Edits a comment or a reply in its place. */
export const EditText = ({ id, source, html, label, audience, save, close }: Props) => (
  <Source path={source} html={html}>
    {(initial) => (
      <Composer
        draftKey={draftKeys.edit(id)}
        label={label}
        audience={audience}
        submitLabel="Save"
        initial={initial}
        autoFocus
        onCancel={close}
        onSubmit={async (markdown) => {
          await save(markdown)
          close()
        }}
      />
    )}
  </Source>
)

/** Edits a post on its page. A title that is the first line of the text is edited there, so that it is shown once. */
export function EditPost({ post, close }: { post: Post; close(): void }) {
  const [known] = useState(() => (withoutTitle(post) === post.content ? post.title : ''))
  const draftKey = draftKeys.editTitle(post.id)
  const [title, showTitle] = useState(() => readDraft(draftKey) || known)
  const setTitle = (next: string) => {
    showTitle(next)
    saveDraft(draftKey, next === known ? '' : next)
  }
  return (
    <Source path={sources.post(post.id)} html={post.content}>
      {(initial) => (
        <PostWriter
          name={post.title}
          title={title}
          setTitle={setTitle}
          closeLabel="Close"
          cancelLabel="Cancel"
          place={<span className="writer-in">Edit post in #{post.channel.name}</span>}
          note={(discard, isChanged) =>
            isChanged && (
              <UnsavedChanges
                discard={() => {
                  discard()
                  setTitle(known)
                }}
              />
            )
          }
          options={{
            draftKey: draftKeys.edit(post.id),
            label: 'Text',
            submitLabel: 'Save',
            noun: 'post',
            initial,
            isChanged: title !== known,
            autoFocus: true,
            audience: channelPlace(post.channel, post.id),
            onCancel: close,
            async onSubmit(markdown) {
              await updatePost(post, title, markdown)
              saveDraft(draftKey, '')
              close()
            },
          }}
        />
      )}
    </Source>
  )
}
