import { useLocation, useSearch } from 'wouter'
import { withQuery } from '../paths'

/** The URL contains the image that is shown large: `?image=file_…`. */
const IMAGE = 'image'

export const useOpenedImage = () => new URLSearchParams(useSearch()).get(IMAGE) ?? undefined

function getPathWith(image: string | undefined): string {
  const query = new URLSearchParams(location.search)
  if (image) query.set(IMAGE, image)
  else query.delete(IMAGE)
  return withQuery(location.pathname, query) + location.hash
}

/** Shows an image large. Back closes it. */
export function useOpenImage() {
  const [, navigate] = useLocation()
  return (id: string) => navigate(getPathWith(id), { state: { opensImage: true } })
}

/** Shows another image in place of the one that is open. */
export function useSwitchImage() {
  const [, navigate] = useLocation()
  return (id: string) => navigate(getPathWith(id), { replace: true, state: history.state })
}

/** Closes the image as Back does, unless the page was opened with it. */
export function useCloseImage() {
  const [, navigate] = useLocation()
  return () => {
    if (history.state?.opensImage) history.back()
    else navigate(getPathWith(undefined), { replace: true })
  }
}
