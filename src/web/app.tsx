import { useIsFetching, useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useEffect, useLayoutEffect } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { eraseKept } from './data/cache/kept-store'
import { isSignedOut } from './data/cache/session'
import { readAccount } from './data/cache/storage'
import { meQuery, registerServiceWorker } from './data/me'
import { loadFont } from './data/theme'
import { FeedPage } from './pages/feed/feed-page'
import { Button } from './parts/button'
import { ErrorBoundary } from './parts/error-boundary'
import { lazyLoad, loadSoon } from './parts/lazy-load'
import { Notices } from './parts/notices'
import { Empty, Loading, ProblemNote, Skeleton } from './parts/states'
import { paths, routes } from './paths'
import { Shell } from './shell/shell'
import { PageTitle } from './shell/title'

const SignInPage = lazyLoad(() => import('./pages/sign-in/sign-in-page'))
const ResetPasswordPage = lazyLoad(() => import('./pages/sign-in/reset-password-page'))
const ConfirmEmailPage = lazyLoad(() => import('./pages/sign-in/confirm-email-page'))
const JoinPage = lazyLoad(() => import('./pages/sign-in/join-page'))
const InboxPage = lazyLoad(() => import('./pages/inbox/inbox-page'), 'soon')
const SavedPage = lazyLoad(() => import('./pages/saved/saved-page'))
const NewPostPage = lazyLoad(() => import('./pages/post/new-post-page'), 'soon')
const PostPage = lazyLoad(() => import('./pages/post/post-page'), 'soon')
const ThreadsPage = lazyLoad(() => import('./pages/threads/threads-page'), 'soon')
const DraftsPage = lazyLoad(() => import('./pages/drafts/drafts-page'))
const MembersPage = lazyLoad(() => import('./pages/members/members-page'))
const MemberPage = lazyLoad(() => import('./pages/members/member-page'))
const GroupPage = lazyLoad(() => import('./pages/members/group-page'))
const ChannelsPage = lazyLoad(() => import('./pages/channels/channels-page'))
const AboutPage = lazyLoad(() => import('./pages/channels/about-page'))
const ChannelFilesPage = lazyLoad(() => import('./pages/files/channel-files-page'))
const SearchPage = lazyLoad(() => import('./pages/search/search-page'))
const SettingsPage = lazyLoad(() => import('./pages/settings/settings-page'))

const codeBySection: Record<string, { preload(): Promise<void> }> = {
  ...{ inbox: InboxPage, saved: SavedPage, posts: PostPage, threads: ThreadsPage, drafts: DraftsPage },
  ...{ members: MembersPage, groups: GroupPage, search: SearchPage, settings: SettingsPage },
}

/** Loads the code of a page before the app is shown, so that it is shown whole. The feed comes with the app. */
export const preloadPage = async (path: string) =>
  path === paths.posts ? undefined : codeBySection[path.split('/')[1]!]?.preload().catch(() => undefined)

/** Pages that need no account. */
const publicPages = new Map([
  [routes.signIn, SignInPage],
  [routes.resetPassword, ResetPasswordPage],
  [routes.confirmEmail, ConfirmEmailPage],
  [routes.join, JoinPage],
] as const)

export function App() {
  const [path] = useLocation()
  const PublicPage = publicPages.get(path as typeof routes.signIn)
  return (
    <ErrorBoundary
      path={path}
      fallback={
        <WithoutSkeleton>
          <BrokenPage />
        </WithoutSkeleton>
      }
    >
      {PublicPage ? (
        <Suspense>
          <WithoutSkeleton>
            <PublicPage />
          </WithoutSkeleton>
        </Suspense>
      ) : (
        <SignedIn path={path} />
      )}
      <Notices />
    </ErrorBoundary>
  )
}

/** Replaces the skeleton that the page came with; see index.html. */
function WithoutSkeleton({ children }: { children: ReactNode }) {
  useLayoutEffect(() => document.getElementById('skeleton')?.remove(), [])
  useEffect(loadFont, [])
  return children
}

/** Every page except signing in. */
function SignedIn({ path }: { path: string }) {
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
        <ErrorBoundary path={path} fallback={<BrokenPage />}>
          <Suspense fallback={<PageSkeleton />}>
            <Pages />
          </Suspense>
        </ErrorBoundary>
        <Preload />
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
    <Route path={routes.channelAbout}>{({ id }) => <AboutPage key={id} channelId={id} />}</Route>
    <Route path={routes.threads}>{({ id }) => <ThreadsPage id={id} />}</Route>
    <Route path={routes.drafts}>
      <DraftsPage />
    </Route>
    <Route path={routes.members}>
      <MembersPage />
    </Route>
    <Route path={routes.member}>{({ id }) => <MemberPage key={id} id={id} />}</Route>
    <Route path={routes.group}>{({ id }) => <GroupPage key={id} id={id} />}</Route>
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

/** Shown where a page cannot be rendered, because of a mistake in the app or of what it was given. */
const BrokenPage = () => (
  <main className="page" id="main">
    <div role="alert">
      <Empty title="Something went wrong" action={<Button onClick={() => void reload()}>Reload</Button>}>
        This page cannot be shown. What you were writing is kept as a draft.
      </Empty>
    </div>
  </main>
)

/** Without what was kept for the next visit: it may be what cannot be shown. Offline, there is nothing else. */
async function reload() {
  if (navigator.onLine) await eraseKept()
  location.reload()
}

const QUIET_MS = 500

/** Once this page has all it needs, loads the code of those that are likely to be opened next, and keeps what is read. */
function Preload() {
  const isQuiet = useIsFetching() === 0
  useEffect(() => {
    if (!isQuiet) return
    const timer = setTimeout(
      () => void Promise.allSettled([loadSoon(), keepVisits(), registerServiceWorker()]),
      QUIET_MS,
    )
    return () => clearTimeout(timer)
  }, [isQuiet])
  return null
}

/** From a first visit on, too, when there is nothing to restore. */
const keepVisits = async () => (await import('./data/cache/kept')).keep()
