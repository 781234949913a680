import L from "leaflet";
import { CATEGORY_COLOURS, CATEGORY_TEXT_COLOURS } from "../../../air-quality/category.ts";
import { airQuality } from "../../../air-quality/index-of-pm25.ts";
import { sensorOf } from "../../../air-quality/readings.ts";
import { type Cluster, clustersOf } from "../../../air-quality/map/clusters.ts";
import { layOut, type Placed } from "../../../air-quality/map/label-layout.ts";
import type { FoundReading } from "./found-reading.ts";
import { captionOf, concentration, readingText } from "./wording.ts";

const CLUSTER_DISTANCE = 24;
const RADIUS = 10;
const CLUSTER_RADIUS = 13;
const LABEL_HEIGHT = 20;
const CAPTION_FONT = "12px system-ui, sans-serif";
const MAX_CAPTION_WIDTH = 150;

/** Callbacks for chosen points. */
export interface PointsOptions {
  readonly onChoose: (reading: FoundReading) => void;
  /** Returns the name of a point that represents several sensors. */
  readonly severalText: (count: number, worst: FoundReading) => string;
}

/** The readings on the map: points with value and caption; overlapping points are merged. */
export class PointsLayer {
  readonly #map: L.Map;
  readonly #markers: L.LayerGroup;
  readonly #options: PointsOptions;
  #readings: readonly FoundReading[] = [];
  #chosen: string | undefined;

  constructor(map: L.Map, options: PointsOptions) {
    this.#map = map;
    this.#options = options;
    this.#markers = L.layerGroup().addTo(map);
    map.on("zoomend moveend resize", () => this.#draw());
  }

  /** @param readings The highest values first: merged points keep the position of the highest value */
  show(readings: readonly FoundReading[], chosen: string | undefined): void {
    this.#readings = readings;
    this.#chosen = chosen;
    this.#draw();
  }

  #draw(): void {
    const map = this.#map;
    const focused =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset["sensor"] : undefined;
    this.#markers.clearLayers();
    const clusters = clustersOf(
      this.#readings,
      (reading) => map.latLngToContainerPoint(latLng(reading, map)),
      // At the last step nobody can look closer: only those at the same place are one.
      map.getZoom() < map.getMaxZoom() ? CLUSTER_DISTANCE : 1,
    );
    const { x: width, y: height } = map.getSize();
    const placed = layOut(
      clusters.map((cluster) => ({
        x: cluster.x,
        y: cluster.y,
        radius: radiusOf(cluster),
        sizes: labelsOf(cluster).map(({ size }) => size),
      })),
      { x: 0, y: 0, width, height },
      { leaders: false },
    );
    for (const [index, cluster] of clusters.entries()) {
      const marker = this.#marker(cluster, placed[index]);
      this.#markers.addLayer(marker);
      const element = marker.getElement();
      const sensor = sensorOf(cluster.members[0]);
      if (element === undefined) continue;
      element.dataset["sensor"] = sensor;
      append(element, "visually-hidden", this.#textOf(cluster));
      element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        marker.fire("click");
      });
      // A redrawn point that was chosen with the keyboard keeps the focus.
      if (sensor === focused) element.focus({ preventScroll: true });
    }
  }

  #marker(cluster: Cluster<FoundReading>, placed: Placed | undefined): L.Marker {
    const [worst, ...others] = cluster.members;
    const isChosen = cluster.members.some((reading) => sensorOf(reading) === this.#chosen);
    const radius = radiusOf(cluster);
    const icon = L.divIcon({
      html: pointElement(cluster, radius, placed),
      className: isChosen ? "air-point air-point-chosen" : "air-point",
      iconSize: [2 * radius, 2 * radius],
    });
    const marker = L.marker(latLng(worst, this.#map), {
      icon,
      keyboard: true,
      riseOnHover: true,
      zIndexOffset: isChosen ? 1000 : Math.round(worst.value),
    });
    marker.bindTooltip(() => tooltip(this.#textOf(cluster)), { direction: "top", offset: [0, -radius] });
    marker.on("click", () => {
      const bounds = L.latLngBounds(cluster.members.map((reading) => latLng(reading, this.#map)));
      const zoom = this.#map.getBoundsZoom(bounds.pad(0.2));
      if (others.length > 0 && zoom > this.#map.getZoom() && zoom <= this.#map.getMaxZoom())
        this.#map.fitBounds(bounds.pad(0.2));
      else this.#options.onChoose(worst);
    });
    return marker;
  }

  #textOf({ members: [worst, ...others] }: Cluster<FoundReading>): string {
    return others.length === 0 ? readingText(worst) : this.#options.severalText(others.length + 1, worst);
  }
}

/** Returns a reading's position in the copy of the world that the map shows. */
function latLng({ position: { lat, lng } }: FoundReading, map: L.Map): L.LatLng {
  return L.latLng(lat, lng + 360 * Math.round((map.getCenter().lng - lng) / 360));
}

function radiusOf({ members }: Cluster<FoundReading>): number {
  return members.length === 1 ? RADIUS : CLUSTER_RADIUS;
}

/** Returns the possible labels of a point, the fullest first. */
function labelsOf({
  members: [worst, ...others],
}: Cluster<FoundReading>): { size: { width: number; height: number }; caption: boolean }[] {
  const value = valueWidth(worst) + (others.length === 0 ? 0 : 24);
  const caption = Math.min(MAX_CAPTION_WIDTH, textWidth(captionOf(worst)));
  return [
    { size: { width: value + caption + 6, height: LABEL_HEIGHT }, caption: true },
    { size: { width: value, height: LABEL_HEIGHT }, caption: false },
  ];
}

function pointElement(cluster: Cluster<FoundReading>, radius: number, placed: Placed | undefined): HTMLElement {
  const [worst, ...others] = cluster.members;
  const { category } = airQuality(worst.value);
  const [background, color] = [CATEGORY_COLOURS[category], CATEGORY_TEXT_COLOURS[category]];
  const point = document.createElement("div");
  // Screen readers read the whole sentence; this text is visual only.
  point.ariaHidden = "true";
  const dot = append(point, "air-dot", others.length === 0 ? "" : String(others.length + 1));
  Object.assign(dot.style, { background, color });
  if (placed === undefined) return point;
  const label = append(point, "air-label", "");
  const { box, size } = placed;
  Object.assign(label.style, {
    left: `${box.x - cluster.x + radius}px`,
    top: `${box.y - cluster.y + radius}px`,
    width: `${box.width}px`,
    height: `${box.height}px`,
  });
  const value = append(label, "air-value", concentration(worst.value));
  Object.assign(value.style, { background, color, minWidth: `${valueWidth(worst) - 6}px` });
  if (size === 0) append(label, "air-caption", captionOf(worst));
  if (others.length > 0) append(label, "air-more", `+${others.length}`);
  return point;
}

function append(parent: HTMLElement, className: string, text: string): HTMLElement {
  const element = document.createElement("span");
  element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
}

// Creates a tooltip as an element: stored content is never parsed as HTML.
function tooltip(text: string): HTMLElement {
  const element = document.createElement("span");
  element.textContent = text;
  return element;
}

const measuring = document.createElement("canvas").getContext("2d");

function textWidth(text: string): number {
  if (measuring === null) return text.length * 7;
  measuring.font = CAPTION_FONT;
  return Math.ceil(measuring.measureText(text).width) + 4;
}

function valueWidth({ value }: FoundReading): number {
  return Math.max(2, concentration(value).length) * 7.5 + 16;
}
