import type { Post } from '../../../contract/posts'
import { reopen } from '../../data/resolutions'
import { toggleSaved } from '../../data/saved'
import { useKeys } from '../../shell/keys'

const articles = () => [...document.querySelectorAll<HTMLElement>('.comments li > article')]

/** Moves the focus from comment to comment. */
function moveFocus(by: 1 | -1) {
  const all = articles()
  const at = all.findIndex((article) => article.contains(document.activeElement))
  const visible = all.findIndex((article) => article.getBoundingClientRect().top >= 0)
  const next = all[at < 0 ? visible : Math.min(all.length - 1, Math.max(0, at + by))]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

const write = () => document.querySelector<HTMLElement>('form[aria-label="Comment"] textarea')?.focus()

/** Replies to the focused comment, or to the parent of the focused reply; otherwise writes a comment. */
function reply() {
  const comment = document.activeElement?.closest('.comments > ol > li')
  const button = comment?.querySelector<HTMLElement>('[data-do=reply]')
  if (button) button.click()
  else write()
}

/** Opens the emoji picker of the focused comment, or otherwise of the post. */
function react() {
  const place = document.activeElement?.closest('.comments li > article') ?? document
  place.querySelector<HTMLElement>('[data-do=react]')?.click()
}

export function usePostKeys(post: Post, disabledReason: string | undefined, resolve: () => void) {
  useKeys('On a post', {
    j: { label: 'Next comment', run: () => moveFocus(1) },
    k: { label: 'Previous comment', run: () => moveFocus(-1) },
    c: { label: 'Comment', run: write },
    r: { label: 'Reply', run: reply },
    '+': { label: 'Add reaction', run: react },
    s: { label: 'Save, or remove from saved', run: () => void toggleSaved(post) },
    ...(!disabledReason && {
      e: post.resolution ? { label: 'Reopen', run: () => void reopen(post) } : { label: 'Resolve', run: resolve },
    }),
  })
}
