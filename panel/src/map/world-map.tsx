import { effect } from "@preact/signals";
import L from "leaflet";
import "leaflet/dist/leaflet.css";
import { useEffect, useRef } from "preact/hooks";
import { unproject } from "../../../air-quality/map/mercator.ts";
import { DARK_BASE, LIGHT_BASE } from "../../../air-quality/map/draw-base.ts";
import { fitView } from "../../../air-quality/map/view.ts";
import { sensorOf } from "../../../air-quality/readings.ts";
import { language, texts } from "../texts/texts.ts";
import { shownTheme } from "../theme/theme.ts";
import { chosenSensor, found, mapView, settings, shown } from "./map-state.ts";
import { PlainLayer } from "./plain-layer.ts";
import { PointsLayer } from "./points-layer.ts";
import { readingText } from "./wording.ts";

const MAX_ZOOM = { plain: 16, tiles: 18 };
const PADDING = 60;
/** A single place is shown with its region. */
const SINGLE_ZOOM = 10;
/** A sensor is left out of the first view when the others are then shown four times as large. */
const OUTLIER_ZOOM = 2;

/** The map with the readings of the selected time. */
export function WorldMap() {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (container.current === null) return;
    const { map, stop } = openMap(container.current);
    return () => {
      stop();
      map.remove();
    };
  }, [language.value]);
  return <div ref={container} class="air-map" role="application" aria-label={texts.value.map.mapLabel} />;
}

function openMap(element: HTMLElement): { map: L.Map; stop: () => void } {
  const { map: words } = texts.value;
  const { tiles } = settings;
  const map = L.map(element, {
    zoomControl: false,
    worldCopyJump: true,
    minZoom: 1,
    maxZoom: tiles === undefined ? MAX_ZOOM.plain : MAX_ZOOM.tiles,
    zoomSnap: 0.5,
  });
  map.attributionControl.setPrefix(false);
  L.control.zoom({ zoomInTitle: words.zoomIn, zoomOutTitle: words.zoomOut }).addTo(map);
  L.control.scale({ imperial: false }).addTo(map);
  const view = mapView.peek();
  if (view === undefined) fit(map, []);
  else map.setView(view, view.zoom, { animate: false });
  map.on("moveend", () => {
    const { lat, lng } = map.getCenter().wrap();
    mapView.value = { lat, lng, zoom: map.getZoom() };
  });
  /** Moves the map without it being the user's choice. */
  const adapt = (move: () => void): void => {
    const chosen = mapView.peek();
    move();
    mapView.value = chosen;
  };
  const plain = new PlainLayer(baseColours());
  if (tiles === undefined) plain.addTo(map);
  else addTiles(map, tiles.template, tiles.attribution, plain);

  const points = new PointsLayer(map, {
    onChoose: (reading) => (chosenSensor.value = sensorOf(reading)),
    severalText: (count, worst) => words.several(count, readingText(worst)),
  });
  let isFitted = view !== undefined;
  const stopShowing = effect(() => {
    const readings = shown.value;
    if (!isFitted && found.value !== undefined && readings.length > 0) {
      isFitted = true;
      const positions = readings.map(({ position }) => position);
      adapt(() => fit(map, positions));
    }
    points.show(readings, chosenSensor.value);
  });
  const stopColouring = effect(() => plain.recolour(baseColours()));
  const observer = new ResizeObserver(() => adapt(() => map.invalidateSize({ animate: false })));
  observer.observe(element);
  const stop = () => {
    stopShowing();
    stopColouring();
    observer.disconnect();
  };
  return { map, stop };
}

/** Adds tiles from the configured source; if the first tiles fail, the built-in map. */
function addTiles(map: L.Map, template: string, attribution: string, instead: L.GridLayer): void {
  // Sends only the origin as referrer, which tile providers require.
  const layer = L.tileLayer(template, {
    attribution: escaped(attribution),
    maxZoom: MAX_ZOOM.tiles,
    referrerPolicy: "strict-origin",
  });
  let hasLoaded = false;
  layer.on("tileload", () => (hasLoaded = true));
  layer.on("tileerror", () => {
    if (hasLoaded || map.hasLayer(instead)) return;
    layer.remove();
    instead.addTo(map);
  });
  layer.addTo(map);
}

function fit(map: L.Map, positions: readonly { lat: number; lng: number }[]): void {
  const { x: width, y: height } = map.getSize();
  if (width === 0 || height === 0) return void map.setView([20, 0], 1);
  const padding = Math.min(PADDING, width / 6, height / 6);
  const fitting = (some: typeof positions) =>
    fitView(some, { width, height }, { padding, maxZoom: isOnePlace(some) ? SINGLE_ZOOM : MAX_ZOOM.plain });
  const all = fitting(positions);
  // One sensor far away must not make all others one point.
  const others =
    positions.length < 4 ? [] : outermost(positions).map((one) => fitting(positions.filter((each) => each !== one)));
  const nearest = others.toSorted((a, b) => b.zoom - a.zoom)[0];
  const { centre, zoom } = nearest !== undefined && nearest.zoom - all.zoom >= OUTLIER_ZOOM ? nearest : all;
  map.setView(unproject(centre), Math.max(1, Math.floor(zoom * 2) / 2), { animate: false });
}

function isOnePlace([first, ...others]: readonly { lat: number; lng: number }[]): boolean {
  return others.every(({ lat, lng }) => lat === first?.lat && lng === first.lng);
}

/** The positions farthest to the west, the east, the south and the north. */
function outermost<P extends { lat: number; lng: number }>(positions: readonly P[]): P[] {
  const byLongitude = positions.toSorted((a, b) => a.lng - b.lng);
  const byLatitude = positions.toSorted((a, b) => a.lat - b.lat);
  return [byLongitude, byLatitude]
    .flatMap((sorted) => [sorted.at(0), sorted.at(-1)])
    .filter((one) => one !== undefined);
}

function baseColours() {
  return shownTheme.value === "dark" ? DARK_BASE : LIGHT_BASE;
}

/** Escapes an attribution, which Leaflet inserts as HTML. */
function escaped(text: string): string {
  const element = document.createElement("span");
  element.textContent = text;
  return element.innerHTML;
}
