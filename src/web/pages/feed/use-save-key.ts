import type { Post } from '../../../contract/posts'
import { toggleSaved } from '../../data/saved'
import { useKeys } from '../../shell/keys'

/** `s` saves the post in focus, or removes it from the saved ones. */
export function useSaveKey(posts: readonly Post[]) {
  const toggle = () => {
    const row = document.activeElement?.closest('li')
    const post = posts.find(({ id }) => id === row?.id)
    if (post) void toggleSaved(post)
  }
  useKeys('Posts', { s: { label: 'Save, or remove from saved', run: toggle } })
}
