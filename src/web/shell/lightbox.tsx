import * as Ariakit from '@ariakit/react'
import { type KeyboardEvent, type PointerEvent, useEffect, useReducer, useRef, useState } from 'react'
import { Button } from '../parts/button'
import { Icon } from '../parts/icon'
import { useCloseImage, useSwitchImage } from '../parts/open-image'
import { useScrollLock } from '../parts/use-scroll-lock'
import { fileUrls } from '../paths'

const FIGURE = 'main .file-image[data-file]'
const SWIPE_PX = 48

interface Shown {
  id: string
  alt: string
}

const findFigure = (id: string) => document.querySelector<HTMLElement>(`${FIGURE}[data-file="${CSS.escape(id)}"]`)

/** The images of the page, in the order of the page, each once. */
function listImages(): Shown[] {
  const found = new Map<string, string>()
  for (const figure of document.querySelectorAll<HTMLElement>(FIGURE))
    found.set(figure.dataset.file!, figure.querySelector('img')?.alt ?? '')
  return [...found].map(([id, alt]) => ({ id, alt }))
}

/** Shows one image of the page large, with buttons for the previous and the next one. */
export default function Lightbox({ id }: { id: string }) {
  useScrollLock()
  const close = useCloseImage()
  const switchTo = useSwitchImage()
  const [failed, setFailed] = useState<string>()
  const images = listImages()
  const at = images.findIndex((image) => image.id === id)
  const alt = images[at]?.alt ?? ''
  const [previous, next] = at < 0 ? [] : [images[at - 1], images[at + 1]]
  const goTo = (image: Shown | undefined) => image && switchTo(image.id)
  const swipe = useSwipe({ left: () => goTo(next), right: () => goTo(previous) })
  useFocusOnClose(id)
  useRenderWhenListed(at >= 0)
  usePreload(next, previous)

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'ArrowRight') goTo(next)
    if (event.key === 'ArrowLeft') goTo(previous)
  }
  return (
    <Ariakit.Dialog
      open
      onClose={close}
      className="lightbox"
      aria-label={alt ? `Image: ${alt}` : 'Image'}
      backdrop={<div className="backdrop lightbox-backdrop" />}
      preventBodyScroll={false}
      autoFocusOnHide={false}
      onKeyDown={onKeyDown}
    >
      <div className="lightbox-bar">
        <span className="lightbox-count">{images.length > 1 && at >= 0 && `${at + 1} of ${images.length}`}</span>
        <a className="button plain" href={fileUrls.original(id)} target="_blank" rel="noreferrer">
          <Icon name="open" />
          Open original
        </a>
        <a className="button plain" href={fileUrls.download(id)}>
          <Icon name="download" />
          Download
        </a>
        <Ariakit.DialogDismiss className="button plain icon" aria-label="Close">
          <Icon name="close" />
        </Ariakit.DialogDismiss>
      </div>
      <div className="lightbox-stage" {...swipe}>
        {failed === id ? (
          <p>This file is no longer available</p>
        ) : (
          <img key={id} src={fileUrls.preview(id, 'large')} alt={alt} draggable={false} onError={() => setFailed(id)} />
        )}
        {previous && (
          <Button className="lightbox-previous" icon="back" label="Previous" onClick={() => goTo(previous)} />
        )}
        {next && <Button className="lightbox-next" icon="forward" label="Next" onClick={() => goTo(next)} />}
      </div>
      <p className="lightbox-caption" aria-live="polite" dir="auto">
        {alt}
      </p>
    </Ariakit.Dialog>
  )
}

/** Renders again when the page shows the image. If the image was opened by its URL, the post may still be loading. */
function useRenderWhenListed(isListed: boolean) {
  const [, render] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (isListed) return
    const observer = new MutationObserver(() => document.querySelector(FIGURE) && render())
    observer.observe(document.body, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [isListed])
}

/** Swiping with a finger. Vertical movements are left to the browser. */
function useSwipe(go: { left(): void; right(): void }) {
  const start = useRef<{ x: number; y: number }>(undefined)
  return {
    onPointerDown({ clientX, clientY, pointerType }: PointerEvent) {
      start.current = pointerType === 'mouse' ? undefined : { x: clientX, y: clientY }
    },
    onPointerUp({ clientX, clientY }: PointerEvent) {
      if (!start.current) return
      const [x, y] = [clientX - start.current.x, clientY - start.current.y]
      start.current = undefined
      if (Math.abs(x) < SWIPE_PX || Math.abs(x) < Math.abs(y)) return
      if (x < 0) go.left()
      else go.right()
    },
  }
}

/** After closing, the focus is on the last image that was shown. */
function useFocusOnClose(id: string) {
  const latest = useRef(id)
  latest.current = id
  useEffect(() => () => findFigure(latest.current)?.querySelector('a')?.focus(), [])
}

function usePreload(...images: (Shown | undefined)[]) {
  const ids = images.map((image) => image?.id ?? '').join()
  useEffect(() => {
    for (const id of ids.split(',').filter(Boolean)) new Image().src = fileUrls.preview(id, 'large')
  }, [ids])
}
