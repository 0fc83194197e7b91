import { useRef, useState } from 'react'
import { usePreview } from '../data/markdown'
import { Button } from '../parts/button'
import { Content } from '../parts/content'
import { Loading, ProblemNote, Skeleton } from '../parts/states'
import { MarkdownSurface } from './markdown-surface'
import { Toolbar } from './toolbar'
import { useComposer, type WritingOptions } from './use-composer'

/**
 * A text that is being written, and the pieces that a composer is put together from: the surface, its toolbar, and what shows
 * the text as it will look. Which surface it is, is decided here alone.
 */
export function useWriting(options: WritingOptions) {
  const area = useRef<HTMLTextAreaElement>(null)
  const [isPreview, setPreview] = useState(false)
  const state = useComposer(options, () => setPreview(false))
  const { isDisabled, text } = state
  return {
    state,
    surface: (
      <>
        <div className="composer-panel" hidden={isPreview}>
          <MarkdownSurface area={area} {...state.surfaceProps} />
        </div>
        {isPreview && <Preview text={text} />}
      </>
    ),
    toolbar: isDisabled ? undefined : (
      <>
        {!isPreview && <Toolbar area={area} onFiles={state.add} />}
        <Button
          icon="eye"
          variant="plain"
          label="Preview"
          className="preview-button"
          aria-pressed={isPreview}
          onClick={() => setPreview(!isPreview)}
        />
      </>
    ),
  }
}

/** A text as it will look. */
function Preview({ text }: { text: string }) {
  const { data, error, refetch } = usePreview(text)
  return (
    <section className="composer-preview" aria-label="Preview">
      {text.trim() === '' ? (
        <p className="meta">Nothing to preview</p>
      ) : error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="the preview">
          <Skeleton width="80%" />
        </Loading>
      ) : (
        <Content html={data} />
      )}
    </section>
  )
}
