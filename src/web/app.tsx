import { useIsFetching, useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect, useLayoutEffect } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { isSignedOut } from './data/cache/session'
import { readAccount } from './data/cache/storage'
import { meQuery, registerServiceWorker } from './data/me'
import { loadFont } from './data/theme'
import { FeedPage } from './pages/feed/feed-page'
import { lazyLoad } from './parts/lazy-load'
import { Notices } from './parts/notices'
import { Empty, Loading, ProblemNote, Skeleton } from './parts/states'
import { paths, routes } from './paths'
import { loadWaitingList } from './shell/overlays'
import { Shell } from './shell/shell'
import { PageTitle } from './shell/title'

const loadPostPage = () => import('./pages/post/post-page')
const loadThreadsPage = () => import('./pages/threads/threads-page')
const loadNewPostPage = () => import('./pages/post/new-post-page')
const loadInboxPage = () => import('./pages/inbox/inbox-page')
/** From a first visit on, too, when there is nothing to restore. */
const keepVisits = async () => (await import('./data/cache/kept')).keep()
const PRELOADED = [
  ...[loadInboxPage, loadPostPage, loadThreadsPage, loadNewPostPage, loadWaitingList],
  ...[keepVisits, registerServiceWorker],
]

const SignInPage = lazyLoad(() => import('./pages/sign-in/sign-in-page'))
const ResetPasswordPage = lazyLoad(() => import('./pages/sign-in/reset-password-page'))
const ConfirmEmailPage = lazyLoad(() => import('./pages/sign-in/confirm-email-page'))
const InboxPage = lazyLoad(loadInboxPage)
const SavedPage = lazyLoad(() => import('./pages/saved/saved-page'))
const NewPostPage = lazyLoad(loadNewPostPage)
const PostPage = lazyLoad(loadPostPage)
const ThreadsPage = lazyLoad(loadThreadsPage)
const DraftsPage = lazyLoad(() => import('./pages/drafts/drafts-page'))
const MembersPage = lazyLoad(() => import('./pages/members/members-page'))
const MemberPage = lazyLoad(() => import('./pages/members/member-page'))
const ChannelsPage = lazyLoad(() => import('./pages/channels/channels-page'))
const ChannelFilesPage = lazyLoad(() => import('./pages/files/channel-files-page'))
const SearchPage = lazyLoad(() => import('./pages/search/search-page'))
const SettingsPage = lazyLoad(() => import('./pages/settings/settings-page'))

/** Pages that need no account. */
const publicPages = new Map([
  [routes.signIn, SignInPage],
  [routes.resetPassword, ResetPasswordPage],
  [routes.confirmEmail, ConfirmEmailPage],
] as const)

export function App() {
  const [path] = useLocation()
  const PublicPage = publicPages.get(path as typeof routes.signIn)
  return (
    <>
      {PublicPage ? (
        <Suspense>
          <WithoutSkeleton>
            <PublicPage />
          </WithoutSkeleton>
        </Suspense>
      ) : (
        <SignedIn />
      )}
      <Notices />
    </>
  )
}

/** Replaces the skeleton that the page came with; see index.html. */
function WithoutSkeleton({ children }: { children: ReactNode }) {
  useLayoutEffect(() => document.getElementById('skeleton')?.remove(), [])
  useEffect(loadFont, [])
  return children
}

/** Every page except signing in. */
function SignedIn() {
  const me = useQuery(meQuery)
  if (isSignedOut(me.error))
    return <Redirect to={signInPath()} replace state={{ isEnded: readAccount() !== undefined }} />
  if (me.error && !me.data)
    return (
      <WithoutSkeleton>
        <main className="page">
          <ProblemNote error={me.error} retry={() => void me.refetch()} />
        </main>
      </WithoutSkeleton>
    )
  if (!me.data)
    return me.fetchStatus === 'paused' ? (
      <WithoutSkeleton>
        <main className="page">
          <Empty title="You are offline">Parley opens when you are back online.</Empty>
        </main>
      </WithoutSkeleton>
    ) : null
  return (
    <WithoutSkeleton>
      <Shell>
        <Suspense fallback={<PageSkeleton />}>
          <Pages />
        </Suspense>
        <Preload pages={PRELOADED} />
      </Shell>
    </WithoutSkeleton>
  )
}

/** Shown while the code of a page is loading. */
const PageSkeleton = () => (
  <main className="page" id="main">
    <Loading what="the page">
      <div className="page-skeleton">
        <Skeleton width={180} height={24} />
        <Skeleton />
        <Skeleton width="88%" />
        <Skeleton width="72%" />
      </div>
    </Loading>
  </main>
)

const signInPath = () =>
  paths.signIn(location.pathname === paths.home ? undefined : location.pathname + location.search + location.hash)

const Pages = () => (
  <Switch>
    <Route path={routes.home}>
      <Redirect to={paths.posts} replace />
    </Route>
    <Route path={routes.inbox}>
      <InboxPage />
    </Route>
    <Route path={routes.saved}>
      <SavedPage />
    </Route>
    <Route path={routes.posts}>
      <FeedPage />
    </Route>
    <Route path={routes.newPost}>
      <NewPostPage />
    </Route>
    <Route path={routes.post}>{({ id }) => <PostPage key={id} id={id} />}</Route>
    <Route path={routes.channels}>
      <ChannelsPage />
    </Route>
    <Route path={routes.channel}>{({ id }) => <FeedPage key={id} channelId={id} />}</Route>
    <Route path={routes.channelFiles}>{({ id }) => <ChannelFilesPage key={id} channelId={id} />}</Route>
    <Route path={routes.threads}>{({ id }) => <ThreadsPage id={id} />}</Route>
    <Route path={routes.drafts}>
      <DraftsPage />
    </Route>
    <Route path={routes.members}>
      <MembersPage />
    </Route>
    <Route path={routes.member}>{({ id }) => <MemberPage key={id} id={id} />}</Route>
    <Route path={routes.search}>
      <SearchPage />
    </Route>
    <Route path={routes.settings}>{({ section, id }) => <SettingsPage part={section} id={id} />}</Route>
    <Route>
      <NotFoundPage />
    </Route>
  </Switch>
)

const NotFoundPage = () => (
  <main className="page" id="main">
    <PageTitle title="Page not found" />
    <Empty title="This page does not exist" action={<Link href={paths.posts}>Go to posts</Link>}>
      The address may be wrong, or the page may have been deleted.
    </Empty>
  </main>
)

const QUIET_MS = 500

/** Loads the code of pages that are likely to be opened next, once this one has all it needs. */
function Preload({ pages }: { pages: readonly (() => Promise<unknown> | undefined)[] }) {
  const isQuiet = useIsFetching() === 0
  useEffect(() => {
    if (!isQuiet) return
    // A page that cannot be loaded now is loaded when it is opened.
    const timer = setTimeout(() => void Promise.allSettled(pages.map((load) => load())), QUIET_MS)
    return () => clearTimeout(timer)
  }, [isQuiet, pages])
  return null
}
