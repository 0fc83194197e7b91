import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { usePreview } from '../data/markdown'
import type { RichEditor } from '../editor'
import { Button } from '../parts/button'
import { Content } from '../parts/content'
import { Loading, ProblemNote, Skeleton } from '../parts/states'
import { MarkdownSurface } from './markdown-surface'
import { Toolbar } from './toolbar'
import { useComposer, type WritingOptions } from './use-composer'
import { type Rich, useRichText } from './use-rich-text'

/**
 * A text that is being written, and the pieces that a composer is put together from: the surface, its toolbar, and the switch
 * between formatted text and Markdown. Which surface it is, is decided here alone.
 */
export function useWriting(options: WritingOptions, { isCompact = false } = {}) {
  const area = useRef<HTMLTextAreaElement>(null)
  const [isPreview, setPreview] = useState(false)
  const [editor, setEditor] = useState<RichEditor | null>(null)
  const state = useComposer(options, () => setPreview(false))
  const { isDisabled, text, surfaceProps } = state
  const mode = useRichText(state, options.draftKey, area)
  const caret = useCaret(area, editor, mode.rich)
  const { rich } = mode
  const markdownSwitch = isDisabled ? undefined : (
    <MarkdownSwitch
      isOn={mode.isMarkdown}
      disabledReason={mode.plainReason}
      change={(isOn) => {
        setPreview(false)
        caret.keep(isOn)
        void mode.setMarkdown(isOn)
      }}
    />
  )
  return {
    state,
    /** Whether the text is shown formatted, with its files in it. */
    isRich: rich !== undefined,
    surface: rich ? (
      <rich.code.RichSurface
        key={options.draftKey}
        {...surfaceProps}
        start={rich.start}
        hasFocus={area.current !== null && document.activeElement === area.current}
        onEditor={setEditor}
        onPlain={mode.setPlain}
        upload={state.upload}
      />
    ) : (
      <>
        <div className="composer-panel" hidden={isPreview}>
          <MarkdownSurface area={area} {...surfaceProps} />
        </div>
        {isPreview && <Preview text={text} />}
      </>
    ),
    markdownSwitch,
    toolbar: isDisabled ? undefined : rich ? (
      editor && <rich.code.RichToolbar editor={editor} isCompact={isCompact} onFiles={state.add} />
    ) : (
      <>
        {!isPreview && <Toolbar area={area} onFiles={state.add} />}
        {mode.isMarkdown && (
          <Button
            icon="eye"
            variant="plain"
            label="Preview"
            className="preview-button"
            aria-pressed={isPreview}
            onClick={() => setPreview(!isPreview)}
          />
        )}
      </>
    ),
  }
}

interface SwitchProps {
  isOn: boolean
  disabledReason: string | undefined
  change(isOn: boolean): void
}

/** Shows the Markdown itself. */
const MarkdownSwitch = ({ isOn, disabledReason, change }: SwitchProps) => (
  <button
    type="button"
    role="switch"
    className="switch"
    aria-checked={isOn}
    aria-disabled={disabledReason !== undefined || undefined}
    title={disabledReason ?? (isOn ? 'Show formatted text' : 'Show the Markdown')}
    // Keeps the focus in the text, and the keyboard of a phone open.
    onMouseDown={(event) => event.preventDefault()}
    onClick={() => disabledReason === undefined && change(!isOn)}
  >
    Markdown
    <span className="switch-track" />
    {disabledReason && <span className="visually-hidden"> ({disabledReason})</span>}
  </button>
)

/** Keeps focus and caret at the same words when formatted text becomes Markdown. */
function useCaret(area: RefObject<HTMLTextAreaElement | null>, editor: RichEditor | null, rich: Rich | undefined) {
  const kept = useRef<number>(undefined)
  useLayoutEffect(() => {
    if (rich || kept.current === undefined || !area.current) return
    area.current.focus()
    area.current.setSelectionRange(kept.current, kept.current)
    kept.current = undefined
  })
  return {
    keep(isMarkdown: boolean) {
      if (isMarkdown && editor?.view.hasFocus())
        kept.current = rich!.code.findOffset(editor.view) ?? editor.write().length
    },
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
