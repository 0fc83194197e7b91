import type { ReactNode } from 'react'
import { Composer } from '../../composer/composer'
import { draftKeys } from '../../data/drafts'
import { useSource } from '../../data/markdown'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'

interface Props {
  /** The record being edited, and the path of its Markdown. */
  id: string
  source: string
  html: string
  label: string
  save(markdown: string): Promise<unknown>
  close(): void
  children?: ReactNode
}

/** Edits the Markdown of a record in place. */
export function EditText({ id, source: path, html, label, save, close, children }: Props) {
  const source = useSource(path, html)
  if (source.error) return <ProblemNote error={source.error} retry={() => void source.refetch()} />
  if (source.data === undefined)
    return (
      <Loading what="the text">
        <Skeleton height={96} />
      </Loading>
    )
  return (
    <Composer
      draftKey={draftKeys.edit(id)}
      label={label}
      submitLabel="Save"
      initial={source.data}
      autoFocus
      onCancel={close}
      onSubmit={async (markdown) => {
        await save(markdown)
        close()
      }}
    >
      {children}
    </Composer>
  )
}
